import { ConfigError } from '../../config.ts'

/** Whether the system refused to write or read a file. */
export function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** A file that cannot be written, with the system's reason. */
export function cannotWrite(file: string, error: NodeJS.ErrnoException): ConfigError {
  return new ConfigError(`${file} cannot be written: ${whyRefused(error)}`, { cause: error })
}

/** The system's reason in words, where it is a usual one. */
export function whyRefused({ code, message }: NodeJS.ErrnoException): string {
  return words[code ?? ''] ?? code ?? message
}

const words: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  ENOENT: 'its folder does not exist',
}
