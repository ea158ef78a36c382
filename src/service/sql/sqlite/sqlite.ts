import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../../errors.ts'
import { explained, explainFailure, requireRestored } from './database-file.ts'
import type { DatabaseLoad, OpenDatabase, Pause, Prepare, Rows } from '../database.ts'
import { migrate } from './migrate.ts'
import { isBusy, translate, translated } from './passing-failures.ts'
import { lettingOthersRun, preparer, queryBuilder } from './sqlite-statements.ts'
import { TableChanges } from './table-changes.ts'
import { createWalFlush, type Sync, type WalFlush } from './wal-flush.ts'
import { createWalMerge, type WalMerge } from './wal-merge.ts'
import { WriteQueue, type WriteConnection } from '../writing/write-queue.ts'

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
 * file is damaged, from a newer version of the program, or one that this process may not use.
 */
export async function openSqlite(
  file: string,
  { busyTimeoutMs = BUSY_TIMEOUT_MS, sync }: OpenOptions = {},
): Promise<OpenDatabase> {
  requireRestored(file)
  const writer = explained(file, () => {
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
    return new DatabaseSync(file, { timeout: busyTimeoutMs })
  })
  try {
    await useWal(writer, busyTimeoutMs)
    // A commit is flushed by `WalFlush`, which does not block the process; NORMAL flushes what a merge of the WAL needs.
    // On macOS `fsync` leaves data in the drive's cache; elsewhere the two last settings change nothing.
    writer.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000; PRAGMA fullfsync = 1')
    writer.exec(`PRAGMA checkpoint_fullfsync = 1; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    const version = migrate(writer)
    // From here on #begin waits for the lock without blocking the process, which SQLite's own waiting would do.
    writer.exec('PRAGMA busy_timeout = 0')
    // Each event has a savepoint, whose old pages SQLite would write to a temporary file: as much as to the WAL (decision
    // 076). After the migrations, which may sort more than fits into memory.
    writer.exec('PRAGMA temp_store = MEMORY')
    // Read-only: a read path that writes by mistake fails in its first test.
    const reader = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: true })
    reader.exec('PRAGMA cache_size = -8000')
    return new SqliteDatabase(writer, reader, { file, version, flush: createWalFlush(file, sync), busyTimeoutMs })
  } catch (error) {
    writer.close()
    throw explainFailure(file, error)
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

/** Throws once the file has a newer schema than this program, which would not keep what that one derives. */
function schemaCheck(connection: DatabaseSync, known: number): () => void {
  const asked = connection.prepare('SELECT max(version) AS version FROM schema_version')
  return () => {
    if (Number(translated(() => asked.get())?.['version']) <= known) return
    const message =
      'a newer version of Tracegate has upgraded the database: start this process again, with that version'
    throw new ServiceError('unavailable', message, { reason: 'DATABASE_BUSY', retryAfterSeconds: 60 })
  }
}

interface WriterOptions {
  connection: DatabaseSync
  changes: TableChanges
  flush: WalFlush
  /** Throws when a newer program has upgraded the file. */
  requireSchema: () => void
  busyTimeoutMs: number
  /** Called after each commit. */
  committed: () => void
}

/** The connection that writes, and what is done with the WAL after its commits. */
class SqliteWriter implements WriteConnection {
  readonly rows: Rows
  readonly prepare: Prepare
  readonly translate = translate
  readonly #connection: DatabaseSync
  readonly #changes: TableChanges
  readonly #flush: WalFlush
  readonly #requireSchema: () => void
  readonly #busyTimeoutMs: number
  readonly #committed: () => void
  /** When a write last gave up waiting for another process's lock. */
  #gaveUpAt = -Infinity

  constructor({ connection, changes, flush, requireSchema, busyTimeoutMs, committed }: WriterOptions) {
    this.#connection = connection
    this.#changes = changes
    this.#flush = flush
    this.#requireSchema = requireSchema
    this.#busyTimeoutMs = busyTimeoutMs
    this.#committed = committed
    const changed = (table: string) => changes.note(table)
    this.rows = queryBuilder(connection, { changed })
    this.prepare = preparer(connection, changed)
  }

  /** Begins a transaction. A write that was queued while another waited in vain tries once: it has waited as long. */
  async begin(queuedAt: number): Promise<void> {
    const deadline = queuedAt <= this.#gaveUpAt ? 0 : performance.now() + this.#busyTimeoutMs
    for (;;) {
      try {
        this.#flush.check()
        this.#connection.exec('BEGIN IMMEDIATE')
        break
      } catch (error) {
        if (!isBusy(error)) throw translate(error)
        if (performance.now() >= deadline) {
          this.#gaveUpAt = Math.max(this.#gaveUpAt, deadline)
          throw translate(error)
        }
      }
      await sleep(LOOK_EVERY_MS)
    }
    try {
      this.#requireSchema()
    } catch (error) {
      this.rollback()
      throw translate(error)
    }
  }

  commit(): void {
    this.#connection.exec('COMMIT')
    this.#changes.committed()
    this.#committed()
  }

  /** Some errors (disk full) have already rolled back by themselves. */
  rollback(): void {
    this.#changes.rolledBack()
    if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK')
  }

  flush(): Promise<void> {
    return this.#flush.flush()
  }
}

class SqliteDatabase implements OpenDatabase {
  readonly read: Rows
  readonly #reader: DatabaseSync
  readonly #writer: DatabaseSync
  readonly #flush: WalFlush
  readonly #requireSchema: () => void
  readonly #merge: WalMerge
  readonly #queue: WriteQueue
  #closing: Promise<void> | undefined

  constructor(
    writer: DatabaseSync,
    reader: DatabaseSync,
    options: { file: string; version: number; flush: WalFlush; busyTimeoutMs: number },
  ) {
    const { file, version, flush, busyTimeoutMs } = options
    this.#writer = writer
    this.#reader = reader
    this.#flush = flush
    const committed = () => this.#merge.committed()
    const changes = new TableChanges()
    const requireSchema = schemaCheck(writer, version)
    this.#requireSchema = schemaCheck(reader, version)
    this.#queue = new WriteQueue(
      new SqliteWriter({ connection: writer, changes, flush, requireSchema, busyTimeoutMs, committed }),
    )
    const total = writer.prepare('SELECT total_changes() AS rows')
    const changedRows = () => Number(total.get()?.['rows'])
    this.#merge = createWalMerge({ file, changedRows, hold: (work) => this.#queue.follow(work) })
    const dataVersion = (connection: DatabaseSync) => {
      const asked = connection.prepare('PRAGMA data_version')
      return () => Number(translated(() => asked.get())?.['data_version'])
    }
    const committedState = dataVersion(reader)
    // What SQLite tells a connection are the commits of others.
    const othersState = dataVersion(writer)
    const tableState = (tables: readonly string[]) => `${String(othersState())} ${String(changes.newest(tables))}`
    this.read = Object.assign(queryBuilder(reader, { plugins: [lettingOthersRun] }), { committedState, tableState })
  }

  write<T>(work: (rows: Rows, prepare: Prepare) => Promise<T>): Promise<T> {
    return this.#queue.write(work)
  }

  batch<T>(work: (prepare: Prepare) => Promise<T>): Promise<T> {
    return this.#queue.batch(work)
  }

  writeInSlices<T>(work: (rows: Rows, prepare: Prepare, pause: Pause) => Promise<T>): Promise<T> {
    return this.#queue.writeInSlices(work)
  }

  load(): DatabaseLoad {
    return { writes: this.#queue.length }
  }

  readonly problem = (): string | undefined => {
    try {
      this.#flush.check()
      this.#requireSchema()
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  /**
   * Waits for the writes in progress, then closes both connections; the last one to close merges the WAL into the file.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#queue.refuse()
    await this.#merge.close()
    await this.#queue.close()
    await this.#flush.close()
    this.#reader.close()
    this.#writer.close()
  }
}
