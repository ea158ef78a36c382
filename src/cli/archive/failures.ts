import { ConfigError } from '../../config.ts'

/** Whether the system refused to write or read a file. */
export function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** A file that cannot be written, with the system's reason. */
export function cannotWrite(file: string, error: NodeJS.ErrnoException): ConfigError {
  const why =
    error.code === 'ENOSPC' ? 'the disk is full' : error.code === 'ENOENT' ? 'its folder does not exist' : error.code
  return new ConfigError(`${file} cannot be written: ${why ?? error.message}`, { cause: error })
}
