import { closeSync, fdatasync, openSync, type NoParamCallback } from 'node:fs'
import { ServiceError } from '../../../errors.ts'

/** Writes what is committed to disk. */
export interface WalFlush {
  /** Resolves once everything that was committed before the call is on disk. */
  flush(): Promise<void>
  /** Throws when an earlier flush has failed. */
  check(): void
  /** Waits for the flush in progress. */
  close(): Promise<void>
}

/** What flushes a file, as `fdatasync` of node:fs. */
export type Sync = (descriptor: number, done: NoParamCallback) => void

/**
 * Flushes the WAL outside of the event loop, so that requests are read and the next transaction runs meanwhile (decision
 * 087). Commits that wait for the same flush share it. After a failure the system may have forgotten which pages it still
 * had to write, so that no later flush proves anything: from then on nothing is written until the next start.
 */
export function createWalFlush(file: string, sync: Sync = fdatasync): WalFlush {
  // Open as long as the database, which keeps the file. SQLite has no locks on it that closing it would end.
  const descriptor = openSync(`${file}-wal`, 'r+')
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  let failure: unknown

  function begin(): Promise<void> {
    following = undefined
    running = new Promise((resolve, reject) => {
      sync(descriptor, (error) => {
        running = undefined
        failure ??= error ?? undefined
        if (failure === undefined) resolve()
        else reject(unflushed(failure))
      })
    })
    return running
  }

  return {
    // What was committed after the running one began may not be part of it.
    flush: () => following ?? (running === undefined ? begin() : (following = running.then(begin))),
    check() {
      if (failure !== undefined) throw unflushed(failure)
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
