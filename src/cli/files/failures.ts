import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { ConfigError } from '../../config.ts'
import { whyRefused } from '../../lib/files/why-refused.ts'

/** Whether the system refused to write or read a file. */
export function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** A file that cannot be written, with the system's reason. */
export function cannotWrite(file: string, error: NodeJS.ErrnoException): ConfigError {
  return new ConfigError(`${file} cannot be written: ${whyRefused(error)}`, { cause: error })
}

/** Writes to a file. Throws what `cannotWrite` makes: where a disk is full, the system's error does not name the file. */
export function tryWriting<T>(file: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw isOfFile(error) ? cannotWrite(file, error) : error
  }
}

/** Writes a file so that others see all of it or none, and leaves no draft behind. Throws as `tryWriting`. */
export function writeWhole(file: string, text: string, { mode = 0o600 }: { mode?: number } = {}): void {
  const draft = `${file}.${String(process.pid)}`
  tryWriting(file, () => {
    try {
      writeFileSync(draft, text, { mode })
      renameSync(draft, file)
    } finally {
      rmSync(draft, { force: true })
    }
  })
}

/** A failure of the system as one sentence. */
export function fileSentence(error: NodeJS.ErrnoException & { dest?: string }): string {
  const { syscall = '' } = error
  const path = error.dest ?? error.path ?? 'a file'
  if (syscall === 'open') return `${path} cannot be opened: ${whyRefused(error, 'it does not exist')}`
  const isRead = /^(?:read|scandir|l?stat|readlink|realpath|access)$/.test(syscall)
  return isRead
    ? `${path} cannot be read: ${whyRefused(error, 'it does not exist')}`
    : `${path} cannot be written: ${whyRefused(error)}`
}
