import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError, type Config } from '../../config.ts'
import { AS_OWNER, whyRefused } from '../../lib/files/why-refused.ts'

/** Creates the data directory, for its owner only, if it does not exist. Throws `ConfigError` when it cannot be used. */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolder(dataDir)
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unusable(dataDir, error)
  }
}

/** Why nothing can be stored there, found by trying; undefined when it can. Changes nothing. */
export function dataDirProblem(dataDir: string): string | undefined {
  let existing = dataDir
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  try {
    rmdirSync(mkdtempSync(join(existing, '.tracegate-')))
    return undefined
  } catch (error) {
    return whyNot(dataDir, error)
  }
}

/**
 * What is wrong when the database is missing or empty although the token of an earlier start is still there; undefined
 * otherwise. The service would start with nothing in it.
 */
export function lostDatabase(dataDir: string): string | undefined {
  const file = join(dataDir, 'tracegate.db')
  if (!existsSync(join(dataDir, 'token'))) return undefined
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size !== undefined && size > 0) return undefined
  return `the database ${file} is ${size === 0 ? 'empty' : 'missing'}, but ${dataDir} was in use before`
}

/** The message for a data directory that failed with `cause`. */
export function unusable(dataDir: string, cause: unknown): ConfigError {
  return new ConfigError(
    `the data directory ${dataDir} cannot be used (${whyNot(dataDir, cause)}): choose another with --data or TRACEGATE_DATA_DIR`,
    { cause },
  )
}

/** The message for a file of the data directory that is there and cannot be read. */
export function cannotReadOwn(file: string, cause: NodeJS.ErrnoException): ConfigError {
  return new ConfigError(`${file} cannot be read: ${whyRefused(cause)}; ${AS_OWNER}`, { cause })
}

/** The first file of the service in its data directory that is there and cannot be read, with the reason. */
export function unreadableFile({ dataDir, secret }: Pick<Config, 'dataDir' | 'secret'>): string | undefined {
  for (const name of ['token', 'port', 'endpoints.json', ...(secret === undefined ? ['secret'] : [])]) {
    const file = join(dataDir, name)
    try {
      readFileSync(file)
    } catch (error) {
      const cause = error as NodeJS.ErrnoException
      if (cause.code !== 'ENOENT') return `${file} cannot be read: ${whyRefused(cause)}`
    }
  }
  return undefined
}

// One folder at a time: where an existing parent answers ENOENT, as /proc does, Node's `recursive` never ends.
function makeFolder(path: string): void {
  if (isFolder(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function whyNot(path: string, cause: unknown): string {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException
  if (code === 'ENOTDIR' || code === 'EEXIST') return existsSync(path) ? 'it is a file' : 'a part of its path is a file'
  return words[code] ?? code
}

const words: Readonly<Record<string, string>> = {
  EACCES: 'no permission to write there',
  EPERM: 'no permission to write there',
  EROFS: 'it is read-only',
  ENOENT: 'no folder can be created there',
  ENOSPC: 'the disk is full',
}
