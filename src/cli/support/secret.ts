import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type Config } from '../../config.ts'
import { cannotReadOwn, makeDataDir, unusable } from './data-dir.ts'

/**
 * The key of every signature: TRACEGATE_SECRET, else the file `secret` in the data directory, created at the first start
 * and readable only by its owner. Concurrent first starts agree on one.
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
  if (made === undefined)
    throw new ConfigError(`${filePath(dataDir)} was deleted right after it was created: start again`)
  return made
}

const filePath = (dataDir: string) => join(dataDir, 'secret')

/** The secret of an earlier start, if any. */
function storedSecret(dataDir: string): string | undefined {
  const file = filePath(dataDir)
  let stored: string
  try {
    stored = readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw code === 'ENOTDIR' ? unusable(dataDir, error) : cannotReadOwn(file, error as NodeJS.ErrnoException)
  }
  if (stored.length >= 32) return stored
  throw new ConfigError(`${file} is damaged: delete it; links signed with it stop working`)
}

/** Creates the file atomically; keeps a file that another process has created in the meantime. */
function makeSecret(dataDir: string): void {
  const draft = `${filePath(dataDir)}.${randomBytes(8).toString('hex')}`
  try {
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true })
    // Unlike a rename, a link never replaces an existing file.
    linkSync(draft, filePath(dataDir))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
