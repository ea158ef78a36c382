import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../errors.ts'
import { letOthersRun } from '../../lib/turns-of-others.ts'
import { explainFailure } from './database-file.ts'
import type { Database, Pause, Prepare, Rows } from './database.ts'
import { migrate } from './migrate.ts'
import { isBusy, translate, translated } from './passing-failures.ts'
import { sliceLength } from './writing/slice-length.ts'
import { preparer, queryBuilder } from './sqlite-statements.ts'
import { createWalFlush, type Sync, type WalFlush } from './writing/wal-flush.ts'
import { createWalMerge, type WalMerge } from './writing/wal-merge.ts'

const BUSY_TIMEOUT_MS = 5_000
/** How often to try the write lock while another process holds it. */
const LOOK_EVERY_MS = 10
/**
 * Pages of the WAL after which a commit merges them into the file: 64 MB, more than `WalMerge` leaves. Only large values
 * in few rows reach it.
 */
const CHECKPOINT_PAGES = 16_000

interface OpenOptions {
  busyTimeoutMs?: number
  /** Another one than the system's. For tests. */
  sync?: Sync
}

/**
 * Opens (or creates, mode 0600) the database file and brings it to the newest schema. One connection writes, one reads;
 * `write` and `batch` wait in one queue. Another process that keeps the write lock for five seconds makes opening and
 * every write that waits fail with `unavailable`; reads go on meanwhile. Throws `failed_precondition` with the path when the
 * file is damaged or from a newer version of the program.
 */
export async function openSqlite(
  file: string,
  { busyTimeoutMs = BUSY_TIMEOUT_MS, sync }: OpenOptions = {},
): Promise<Database> {
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  const writer = new DatabaseSync(file, { timeout: busyTimeoutMs })
  try {
    await useWal(writer, busyTimeoutMs)
    // A commit is flushed by `WalFlush`, which does not block the process; NORMAL flushes what a merge of the WAL needs.
    // On macOS `fsync` leaves data in the drive's cache; elsewhere the two last settings change nothing.
    writer.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA fullfsync = 1')
    writer.exec(`PRAGMA checkpoint_fullfsync = 1; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    migrate(writer)
    // From here on #begin waits for the lock without blocking the process, which SQLite's own waiting would do.
    writer.exec('PRAGMA busy_timeout = 0')
    // Each event has a savepoint, whose old pages SQLite would write to a temporary file: as much as to the WAL (decision
    // 076). After the migrations, which may sort more than fits into memory.
    writer.exec('PRAGMA temp_store = MEMORY')
    // Read-only: a read path that writes by mistake fails in its first test.
    const reader = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: true })
    reader.exec('PRAGMA cache_size = -16000')
    return new SqliteDatabase(writer, reader, { file, flush: createWalFlush(file, sync), busyTimeoutMs })
  } catch (error) {
    writer.close()
    throw explainFailure(file, translate(error))
  }
}

/**
 * Changing the journal mode fails with BUSY at once, in spite of the busy timeout, while another process does the same.
 */
async function useWal(connection: DatabaseSync, busyTimeoutMs: number): Promise<void> {
  // Only before WAL. An event changes a row in some 15 indexes at random places, and each change writes a page (decision 076).
  connection.exec('PRAGMA page_size = 4096')
  const deadline = Date.now() + busyTimeoutMs
  for (;;) {
    try {
      connection.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error
      await sleep(20)
    }
  }
}

/** Opens a migrated database for another thread, which only reads; open until the thread ends. */
export function openReader(file: string): Rows {
  return queryBuilder(new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true }))
}

interface Slice {
  /** When its time is used up, by `performance.now()`. */
  until: number
  ended: boolean
  end(): void
}

class SqliteDatabase implements Database {
  readonly read: Rows
  readonly #reader: DatabaseSync
  readonly #writer: DatabaseSync
  readonly #rows: Rows
  readonly #prepare: Prepare
  readonly #flush: WalFlush
  readonly #merge: WalMerge
  readonly #busyTimeoutMs: number
  #queue: Promise<unknown> = Promise.resolve()
  /** When a write last gave up waiting for another process's lock. */
  #gaveUpAt = -Infinity
  #closed = false

  constructor(
    writer: DatabaseSync,
    reader: DatabaseSync,
    { file, flush, busyTimeoutMs }: { file: string; flush: WalFlush; busyTimeoutMs: number },
  ) {
    this.#writer = writer
    this.#reader = reader
    this.#flush = flush
    const changes = writer.prepare('SELECT total_changes() AS rows')
    const changedRows = () => Number(changes.get()?.['rows'])
    this.#merge = createWalMerge({ file, changedRows, hold: (work) => this.#follow(work) })
    this.#busyTimeoutMs = busyTimeoutMs
    this.#rows = queryBuilder(writer)
    const dataVersion = reader.prepare('PRAGMA data_version')
    const committedState = () => Number(translated(() => dataVersion.get())?.['data_version'])
    this.read = Object.assign(queryBuilder(reader), { committedState })
    this.#prepare = preparer(writer)
  }

  write<T>(work: (rows: Rows, prepare: Prepare) => Promise<T>): Promise<T> {
    return this.#transaction(() => work(this.#rows, this.#prepare))
  }

  batch<T>(work: (prepare: Prepare) => Promise<T>): Promise<T> {
    return this.#transaction(() => work(this.#prepare))
  }

  async #transaction<T>(work: () => Promise<T>): Promise<T> {
    const result = await this.#enqueue(async () => {
      try {
        const result = await work()
        this.#commit()
        return result
      } catch (error) {
        this.#rollback()
        throw translate(error)
      }
    })
    await this.#flush.flush()
    return result
  }

  async writeInSlices<T>(work: (rows: Rows, prepare: Prepare, pause: Pause) => Promise<T>): Promise<T> {
    let slice = await this.#openSlice()
    const pause: Pause = async (beforeCommit) => {
      const full = performance.now()
      if (full < slice.until) return
      await beforeCommit?.()
      this.#commit()
      const closed = performance.now()
      slice.end()
      await letOthersRun()
      slice = await this.#openSlice({ closingMs: closed - full, closed })
    }
    try {
      const result = await work(this.#rows, this.#prepare, pause)
      this.#commit()
      slice.end()
      await this.#flush.flush()
      return result
    } catch (error) {
      if (!slice.ended) this.#rollback()
      throw translate(error)
    } finally {
      slice.end()
    }
  }

  /** A transaction of its own in the queue, which other writes wait for until `end`. */
  #openSlice({ closingMs = 0, closed = performance.now() } = {}): Promise<Slice> {
    const { promise, resolve, reject } = Promise.withResolvers<Slice>()
    const ended = Promise.withResolvers<void>()
    const slice: Slice = {
      until: 0,
      ended: false,
      end() {
        slice.ended = true
        ended.resolve()
      },
    }
    const begin = () => {
      const now = performance.now()
      slice.until = now + sliceLength({ closingMs, waitedMs: now - closed })
      resolve(slice)
      return ended.promise
    }
    this.#enqueue(begin).catch(reject)
    return promise
  }

  /**
   * Waits for the writes in progress, then closes both connections; the last one to close merges the WAL into the file.
   */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#merge.close()
    await this.#queue
    await this.#flush.close()
    this.#reader.close()
    this.#writer.close()
  }

  #enqueue<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new ServiceError('unavailable', 'the database is closed; start again'))
    const queuedAt = performance.now()
    return this.#follow(() => this.#begin(queuedAt).then(work))
  }

  /** Does work when the writes before it have ended. */
  #follow<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work)
    // The queue continues even if this one failed: its caller handles `result`. The pause lets requests run between the
    // transactions of a long job.
    this.#queue = result.then(ignore, ignore).then(() => nextTurn())
    return result
  }

  /** Begins a transaction. A write that was queued while another waited in vain tries once: it has waited as long. */
  async #begin(queuedAt: number): Promise<void> {
    const deadline = queuedAt <= this.#gaveUpAt ? 0 : performance.now() + this.#busyTimeoutMs
    for (;;) {
      try {
        this.#flush.check()
        this.#writer.exec('BEGIN IMMEDIATE')
        return
      } catch (error) {
        if (!isBusy(error)) throw translate(error)
        if (performance.now() >= deadline) {
          this.#gaveUpAt = Math.max(this.#gaveUpAt, deadline)
          throw translate(error)
        }
      }
      await sleep(LOOK_EVERY_MS)
    }
  }

  #commit(): void {
    this.#writer.exec('COMMIT')
    this.#merge.committed()
  }

  /** Some errors (disk full) have already rolled back by themselves. */
  #rollback(): void {
    if (this.#writer.isTransaction) this.#writer.exec('ROLLBACK')
  }
}

function ignore(): void {}
