import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { AS_OWNER, whyRefused } from '../../../lib/files/why-refused.ts'

const { R_OK, W_OK, X_OK } = constants

const READ_ONLY = 'copy its folder to a disk that can be written, and name the copy with --data'

/** Why this process cannot use a file, as the end of a sentence about it, and what to do. */
export interface AccessProblem {
  why: string
  remedy: string
}

/**
 * The first permission that this process lacks on a database file, on the files that SQLite keeps next to it, or on their
 * folder, in which SQLite creates and deletes files even to read. Undefined if it lacks none.
 */
export function accessProblem(file: string): AccessProblem | undefined {
  const target = realFile(file)
  return (
    refused(file, R_OK | W_OK, (why) => why) ??
    refused(dirname(target), W_OK | X_OK, (why) => `its folder cannot be written (${why})`) ??
    refused(`${target}-wal`, R_OK | W_OK, (why) => `${target}-wal cannot be written (${why})`) ??
    refused(`${target}-shm`, R_OK | W_OK, (why) => `${target}-shm cannot be written (${why})`)
  )
}

/** The file that a link leads to, which is where SQLite keeps its other files; the file itself where it is none. */
export function realFile(file: string): string {
  return existsSync(file) ? realpathSync(file) : file
}

function refused(path: string, mode: number, words: (why: string) => string): AccessProblem | undefined {
  if (!existsSync(path)) return undefined
  try {
    accessSync(path, mode)
    return undefined
  } catch (error) {
    const cause = error as NodeJS.ErrnoException
    return { why: words(whyRefused(cause)), remedy: cause.code === 'EROFS' ? READ_ONLY : AS_OWNER }
  }
}
