import { closeSync, fdatasync, openSync, statSync, type NoParamCallback } from 'node:fs'
import { ServiceError } from '../../../errors.ts'
import { realFile } from './file-access.ts'

/** Writes what is committed to disk. */
export interface WalFlush {
  /** Resolves once everything that was committed before the call is on disk. */
  flush(): Promise<void>
  /** Throws when an earlier flush has failed, and when the files of the database are no longer in their place. */
  check(): void
  /** Waits for the flush in progress. */
  close(): Promise<void>
}

/** What flushes a file, as `fdatasync` of node:fs. */
export type Sync = (descriptor: number, done: NoParamCallback) => void

/**
 * Flushes the WAL outside of the event loop, so that requests are read and the next transaction runs meanwhile (decision
 * 087). Commits that wait for the same flush share it. After a failure the system may have forgotten which pages it still
 * had to write, so that no later flush proves anything: from then on nothing is written until the next start. The same
 * holds for files that were deleted or replaced: the system keeps what is written to them only until they are closed.
 */
export function createWalFlush(file: string, sync: Sync = fdatasync): WalFlush {
  // Open as long as the database, which keeps the file. SQLite has no locks on it that closing it would end.
  const wal = `${realFile(file)}-wal`
  const descriptor = openSync(wal, 'r+')
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  let failure: ServiceError | undefined
  const inPlace = [file, wal].map((path) => ({ path, id: fileId(path) }))

  /** The first failure. Everything that is written after it fails for the same reason. */
  function findFailure(error?: Error | null): ServiceError | undefined {
    if (failure !== undefined) return failure
    if (error) return (failure = unflushed(error))
    try {
      return (failure = gone(inPlace.find(({ path, id }) => fileId(path) !== id)?.path))
    } catch (cause) {
      // Not the last word: the file may be in its place once the system lets this process look again.
      return unreachable(cause)
    }
  }

  function begin(): Promise<void> {
    following = undefined
    running = new Promise((resolve, reject) => {
      sync(descriptor, (error) => {
        running = undefined
        const found = findFailure(error)
        if (found === undefined) resolve()
        else reject(found)
      })
    })
    return running
  }

  return {
    // What was committed after the running one began may not be part of it.
    flush: () => following ?? (running === undefined ? begin() : (following = running.then(begin))),
    check() {
      const found = findFailure()
      if (found !== undefined) throw found
    },
    async close() {
      await (following ?? running)?.catch(() => undefined)
      closeSync(descriptor)
    },
  }
}

function unflushed(cause: unknown): ServiceError {
  const message = 'the disk under the database cannot be written; see the log of the service, then start it again'
  return new ServiceError('unavailable', message, { reason: 'DATABASE_BUSY', retryAfterSeconds: 60, cause })
}

function unreachable(cause: unknown): ServiceError {
  const message = 'the file of the database cannot be reached; see the log of the service'
  return new ServiceError('unavailable', message, { reason: 'DATABASE_BUSY', retryAfterSeconds: 60, cause })
}

function gone(path: string | undefined): ServiceError | undefined {
  if (path === undefined) return undefined
  const message = 'the file of the database was deleted or replaced; restore it, then start the service again'
  const cause = new Error(`${path} is not the file that was opened`)
  return new ServiceError('unavailable', message, { reason: 'DATABASE_BUSY', retryAfterSeconds: 60, cause })
}

/** What tells a file from another one of the same name; undefined where there is none. Throws where that cannot be seen. */
function fileId(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${String(found.dev)}-${String(found.ino)}`
}
