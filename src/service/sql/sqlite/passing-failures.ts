import { ServiceError } from '../../../errors.ts'

/** Primary result codes of SQLite after which the same call may succeed later. */
const passing = new Map([
  [5, 'the database is busy with another process; repeat in a moment'],
  [6, 'the database is busy with another process; repeat in a moment'],
  [10, 'the disk under the database cannot be written or read; see the log of the service'],
  [13, 'the disk under the database is full; make room, then repeat'],
  // SQLITE_PROTOCOL: other processes kept the log's index locked through many attempts.
  [15, 'the database is busy with another process; repeat in a moment'],
])

/** Whether another process holds a lock. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code === 5 || code === 6 || code === 15
}

/** Whether a disk is full, whichever of those that SQLite was writing to. */
export function isDiskFull(error: unknown): boolean {
  return resultCode(error) === 13
}

/** Turns temporary failures into `unavailable`; returns every other failure as it is. */
export function translate(error: unknown): unknown {
  const message = passing.get(resultCode(error) ?? 0)
  return message === undefined ? error : unavailable(message, error)
}

/** The same for a failure of opening `file`, which no log tells more about. */
export function translateOpening(file: string, error: Error): unknown {
  const code = resultCode(error)
  if (code === 10) return unavailable(`the disk under ${file} cannot be written or read (${error.message})`, error)
  return isDiskFull(error)
    ? unavailable(`the disk under ${file} is full; make room, then repeat`, error)
    : translate(error)
}

function unavailable(message: string, cause: unknown): ServiceError {
  return new ServiceError('unavailable', message, { reason: 'DATABASE_BUSY', retryAfterSeconds: 1, cause })
}

/** Runs the work; a temporary failure is thrown as `unavailable`. */
export function translated<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw translate(error)
  }
}

/** The same for rows that are read one after the other. */
export function* translatedRows<T>(rows: () => Iterable<T>): IterableIterator<T> {
  try {
    yield* rows()
  } catch (error) {
    throw translate(error)
  }
}

/** The primary result code of an SQLite error, its low byte; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}
