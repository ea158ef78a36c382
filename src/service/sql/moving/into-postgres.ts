import type { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { ServiceError } from '../../../errors.ts'
import { counted } from '../../../lib/counted.ts'
import type { Database, Prepare, Rows } from '../database.ts'
import { explainOpening, isPassing, translate } from '../postgres/postgres-failures.ts'
import { checkServer, lockingMigrations, migratePostgres } from '../postgres/postgres-migrate.ts'
import { isPooled } from '../postgres/postgres-pooler.ts'
import { toBound } from '../postgres/postgres-parameters.ts'
import { connectionConfig, preparer, queryBuilder, type RunQuery } from '../postgres/postgres-statements.ts'
import { openPostgres } from '../postgres/postgres.ts'
import {
  beginCopy,
  endCopy,
  hasUnfinishedCopy,
  requireAttempt,
  requireEmpty,
  spoilCopy,
  type Attempt,
  type Begun,
} from '../postgres/unfinished-copy.ts'
import { explainFailure } from '../sqlite/database-file.ts'
import { resultCode } from '../sqlite/passing-failures.ts'
import { sumInPostgres, sumInSqlite } from './compare.ts'
import { countCopied, type CopyOptions } from './progress.ts'
import type { Source } from './source.ts'
import { quotedNames, readTables, type Table } from './tables.ts'

/** Most rows of a statement, whose values are fewer than a server binds (65,535). */
const ROWS = 400
const VALUES = 30_000
/** A transaction ends after so many rows, or bytes of their texts and bodies. */
const ROWS_PER_TRANSACTION = 4_000
const BYTES_PER_TRANSACTION = 8_000_000

export interface IntoPostgresOptions extends CopyOptions {
  url: string
  /** Builds the full-text indexes of all rows. */
  indexTexts: (rows: Rows, prepare: Prepare) => Promise<void>
  /** Called once, before the first row is copied. */
  onBegun?: ((begun: Begun) => void) | undefined
  /** Called when all rows are copied, before the indexes are built. */
  onCopied?: (() => void) | undefined
  /** Brings what belongs to the rows; until it has ended, no service opens the database. */
  beforeEnd: (db: Database) => Promise<void>
  /** Rows of a transaction. For tests. */
  rowsPerTransaction?: number | undefined
}

type Value = string | number | Uint8Array | null

/**
 * Copies all rows of an SQLite database into an empty PostgreSQL database, and resolves to their number when both hold the
 * same. Until then no service opens the target. What was interrupted goes on after the last transaction, if the source has
 * not changed since; else it begins again. Throws `failed_precondition` for a target that is not empty.
 */
export async function copyIntoPostgres(source: Source, options: IntoPostgresOptions): Promise<number> {
  const client = new Client(connectionConfig(options.url))
  let lost: Error | undefined
  client.on('error', (error) => (lost = error))
  try {
    await client.connect()
    await checkServer(client)
    const attempt = await lockingMigrations(client, () => beginCopy(client, source.fingerprint))
    const numberedBy = await migratePostgres(client, { forCopy: true })
    return await new Copy(client, { source, attempt, numberedBy, options }).run()
  } catch (error) {
    if (error instanceof ServiceError || isOfFile(error)) throw error
    if (resultCode(error) !== undefined) throw explainFailure(source.file, error)
    throw isPassing(lost ?? error) ? stopped(lost ?? error) : explainOpening(options.url, error)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Throws as `copyIntoPostgres` does for a target that cannot be copied into, before anything is prepared for it. */
export async function checkTarget(url: string): Promise<void> {
  const client = new Client(connectionConfig(url))
  client.on('error', () => {})
  try {
    await client.connect()
    await checkServer(client)
    if (!(await hasUnfinishedCopy(client))) await requireEmpty(client)
  } catch (error) {
    throw explainOpening(url, error)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Whether a file of the data directory could not be read: that of a socket has no path. */
function isOfFile(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'path' in error
}

function stopped(error: unknown): unknown {
  const cause = translate(error)
  if (!(cause instanceof ServiceError)) return cause
  return new ServiceError('unavailable', `${cause.message}; run the same command again, which goes on`, { cause })
}

interface CopyParts {
  source: Source
  attempt: Attempt
  numberedBy: ReadonlyMap<string, string>
  options: IntoPostgresOptions
}

class Copy {
  readonly #client: Client
  readonly #source: DatabaseSync
  readonly #attempt: Attempt
  readonly #numberedBy: ReadonlyMap<string, string>
  readonly #options: IntoPostgresOptions

  constructor(client: Client, { source, attempt, numberedBy, options }: CopyParts) {
    this.#client = client
    this.#source = source.connection
    this.#attempt = attempt
    this.#numberedBy = numberedBy
    this.#options = options
  }

  async run(): Promise<number> {
    const tables = readTables(this.#source)
    const totals = new Map(tables.map((table) => [table.name, countRows(this.#source, table)]))
    const progress = countCopied(totals, this.#options.onProgress)
    this.#options.onBegun?.(this.#attempt.begun)
    for (const table of tables) {
      const before = this.#attempt.begun === 'continued' ? await this.#rowsIn(table) : 0
      progress(table.name, before)
      await this.#copyTable(table, { before, progress })
    }
    this.#options.onCopied?.()
    await this.#inTransaction(() => this.#setNumbers(tables))
    await this.#inTransaction(() => this.#index())
    await this.#compare(tables)
    await this.#client.query(`ANALYZE ${tables.map(({ name }) => `"${name}"`).join(', ')}`)
    await this.#finish()
    await this.#inTransaction(() => endCopy(this.#client))
    return [...totals.values()].reduce((sum, rows) => sum + rows, 0)
  }

  /** Rows arrive in the order of the source, whole transactions only: those that are there are its first ones. */
  async #copyTable(
    table: Table,
    { before, progress }: { before: number; progress: (table: string, rows: number) => void },
  ): Promise<void> {
    const { rowsPerTransaction = ROWS_PER_TRANSACTION } = this.#options
    let done = before
    let pending: Value[][] = []
    let bytes = 0
    const flush = async () => {
      this.#stopIfAsked()
      const rows = pending
      await this.#inTransaction(() => this.#insert(table, rows))
      done += rows.length
      pending = []
      bytes = 0
      progress(table.name, done)
    }
    for (const row of readRows(this.#source, table, before)) {
      pending.push(row)
      bytes += row.reduce<number>((sum, value) => sum + (typeof value === 'object' ? 0 : String(value).length), 0)
      bytes += row.reduce<number>((sum, value) => sum + (value instanceof Uint8Array ? value.byteLength : 0), 0)
      if (pending.length >= rowsPerTransaction || bytes >= BYTES_PER_TRANSACTION) await flush()
    }
    if (pending.length > 0) await flush()
  }

  #stopIfAsked(): void {
    if (this.#options.signal?.aborted !== true) return
    throw new ServiceError('unavailable', 'stopped before all was copied; run the same command again, which goes on')
  }

  async #insert({ name, columns }: Table, rows: readonly Value[][]): Promise<void> {
    const most = Math.min(ROWS, Math.floor(VALUES / columns.length))
    for (let from = 0; from < rows.length; from += most) {
      const some = rows.slice(from, from + most)
      const places = some.map(
        (_, row) => `(${columns.map((__, column) => `$${String(row * columns.length + column + 1)}`).join(', ')})`,
      )
      const text = `INSERT INTO "${name}" (${quotedNames(columns)}) VALUES ${places.join(', ')}`
      await this.#client.query({ text, values: some.flat().map(toBound) })
    }
  }

  async #rowsIn({ name }: Table): Promise<number> {
    const { rows } = await this.#client.query<{ rows: number }>(`SELECT count(*) AS rows FROM "${name}"`)
    return rows[0]?.rows ?? 0
  }

  /** Numbers that SQLite has given, also those of rows that are gone, are not given again. */
  async #setNumbers(tables: readonly Table[]): Promise<void> {
    for (const { name, numberedBy, remembersNumbers } of tables) {
      if (numberedBy === undefined || !this.#numberedBy.has(name)) continue
      const highest = this.#source.prepare(`SELECT coalesce(max("${numberedBy}"), 0) AS number FROM "${name}"`).get()
      const given = remembersNumbers
        ? this.#source.prepare('SELECT seq AS number FROM sqlite_sequence WHERE name = ?').get(name)
        : undefined
      const last = Math.max(Number(highest?.['number'] ?? 0), Number(given?.['number'] ?? 0))
      if (last === 0) continue
      await this.#client.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [`"${name}"`, numberedBy, last])
    }
  }

  async #finish(): Promise<void> {
    const db = await openPostgres(this.#options.url, { forCopy: true })
    try {
      await this.#options.beforeEnd(db)
    } finally {
      await db.close()
    }
  }

  async #index(): Promise<void> {
    await this.#client.query('TRUNCATE requirement_text, test_text')
    const run: RunQuery = (query) => this.#client.query(query)
    const prepare = preparer({ run, numberedBy: this.#numberedBy, namesStatements: !(await isPooled(this.#client)) })
    await this.#options.indexTexts(queryBuilder(run), prepare)
  }

  async #compare(tables: readonly Table[]): Promise<void> {
    for (const table of tables) {
      const [here, there] = [sumInSqlite(this.#source, table), await sumInPostgres(this.#client, table)]
      if (here.rows === there.rows && here.keys === there.keys) continue
      await this.#inTransaction(() => spoilCopy(this.#client))
      const rows = `${counted(there.rows, 'row')} of ${String(here.rows)}`
      throw new ServiceError(
        'failed_precondition',
        `the copy of the table ${table.name} differs from the original (${rows}); something else has written to the target. Stop it and run the same command again: it starts from the beginning`,
      )
    }
  }

  async #inTransaction(work: () => Promise<void>): Promise<void> {
    await this.#client.query('BEGIN')
    try {
      await requireAttempt(this.#client, this.#attempt)
      await work()
      await this.#client.query('COMMIT')
    } catch (error) {
      await this.#client.query('ROLLBACK').catch(() => {})
      throw error
    }
  }
}

function countRows(connection: DatabaseSync, { name }: Table): number {
  return Number(connection.prepare(`SELECT count(*) AS rows FROM "${name}"`).get()?.['rows'])
}

/** The rows after the first `skipped` ones; the values in the order of the columns. */
function* readRows(connection: DatabaseSync, { name, columns, order }: Table, skipped: number): Generator<Value[]> {
  const statement = connection.prepare(
    `SELECT ${quotedNames(columns)} FROM "${name}" ORDER BY ${quotedNames(order)} LIMIT -1 OFFSET ?`,
  )
  statement.setReturnArrays(true)
  // Columns are integers, reals, texts and blobs (STRICT tables).
  for (const row of statement.iterate(skipped) as Iterable<unknown>) yield row as Value[]
}
