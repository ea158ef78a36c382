import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type Config } from '../config.ts'

/**
 * The key of every signature: TRACEGATE_SECRET, else the file `secret` in the data directory, made at the first start for
 * its owner alone. Two first starts at once agree on one.
 */
export function readSecret({ secret, dataDir }: Pick<Config, 'secret' | 'dataDir'>): string {
  if (secret !== undefined) return secret
  const file = join(dataDir, 'secret')
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(dataDir, error)
  }
  const stored = readFileSync(file, 'utf8').trim()
  if (stored.length >= 32) return stored
  throw new ConfigError(`${file} is damaged: delete it, and links signed until now become void`)
}

function unwritable(dataDir: string, cause: unknown): ConfigError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException
  return new ConfigError(
    `the data directory ${dataDir} cannot be written (${code}): choose another with --data or TRACEGATE_DATA_DIR`,
  )
}
