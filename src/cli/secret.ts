import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type Config } from '../config.ts'
import { makeDataDir, unusable } from './data-dir.ts'

/**
 * The key of every signature: TRACEGATE_SECRET, else the file `secret` in the data directory, made at the first start for
 * its owner alone. Two first starts at once agree on one.
 */
export function readSecret({ secret, dataDir }: Pick<Config, 'secret' | 'dataDir'>): string {
  if (secret !== undefined) return secret
  const known = storedSecret(dataDir)
  if (known !== undefined) return known
  makeDataDir(dataDir)
  try {
    makeSecret(dataDir)
  } catch (error) {
    throw unusable(dataDir, error)
  }
  const made = storedSecret(dataDir)
  if (made === undefined) throw new ConfigError(`${fileIn(dataDir)} was deleted as soon as it was made: start again`)
  return made
}

const fileIn = (dataDir: string) => join(dataDir, 'secret')

/** The secret of an earlier start; undefined when there is none. */
function storedSecret(dataDir: string): string | undefined {
  const file = fileIn(dataDir)
  let stored: string
  try {
    stored = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw unusable(dataDir, error)
  }
  if (stored.length >= 32) return stored
  throw new ConfigError(`${file} is damaged: delete it, and links signed until now become void`)
}

/** Makes the file whole or not at all; leaves one that another process has made meanwhile as it is. */
function makeSecret(dataDir: string): void {
  const draft = `${fileIn(dataDir)}.${randomBytes(8).toString('hex')}`
  try {
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true })
    // Unlike a rename, a link never replaces what is there.
    linkSync(draft, fileIn(dataDir))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
