import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { ServiceError } from '../../../errors.ts'
import type { Bindable, Prepare, Rows } from '../database.ts'
import { createDatabaseFile, explainFailure } from '../sqlite/database-file.ts'
import { migrate } from '../sqlite/migrate.ts'
import { resultCode } from '../sqlite/passing-failures.ts'
import { explainOpening } from '../postgres/postgres-failures.ts'
import { checkServer, requireVersion } from '../postgres/postgres-migrate.ts'
import { connectionConfig } from '../postgres/postgres-statements.ts'
import { preparer, queryBuilder } from '../sqlite/sqlite-statements.ts'
import { countCopied, type CopyOptions } from './progress.ts'
import { quotedNames, readTables, type Table } from './tables.ts'

/** Rows that are fetched at once: bodies of events may be large. */
const ROWS = 250

export interface IntoSqliteOptions extends CopyOptions {
  url: string
  /** Does not exist yet. */
  file: string
  /** Builds the full-text indexes of all rows. */
  indexTexts: (rows: Rows, prepare: Prepare) => Promise<void>
}

/**
 * Copies all rows of a PostgreSQL database, as of one moment, into a new SQLite file, while services go on writing. Changes
 * nothing in the source. Throws `failed_precondition` for one of another schema version than that of the program.
 */
export async function copyIntoSqlite(options: IntoSqliteOptions): Promise<void> {
  const client = new Client(connectionConfig(options.url))
  let lost: Error | undefined
  client.on('error', (error) => (lost = error))
  createDatabaseFile(options.file)
  const connection = new DatabaseSync(options.file)
  try {
    // A file that is not complete is removed: it needs no journal, and is written to the disk once.
    connection.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF')
    migrate(connection)
    await client.connect()
    await checkServer(client)
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await requireVersion(client)
    connection.exec('BEGIN')
    await copyAll(client, connection, options)
    await options.indexTexts(queryBuilder(connection), preparer(connection))
    connection.exec('COMMIT')
  } catch (error) {
    if (resultCode(error) !== undefined) throw explainFailure(options.file, error)
    throw explainOpening(options.url, lost ?? error)
  } finally {
    connection.close()
    await client.end().catch(() => {})
  }
}

async function copyAll(client: Client, connection: DatabaseSync, options: IntoSqliteOptions): Promise<void> {
  const tables = readTables(connection)
  const totals = new Map<string, number>()
  for (const { name } of tables) totals.set(name, await count(client, name))
  const progress = countCopied(totals, options.onProgress)
  const inserted = await insertionColumns(client)
  for (const table of tables) {
    let done = 0
    for await (const rows of readRows(client, table, inserted.get(table.name))) {
      if (options.signal?.aborted === true) throw new ServiceError('unavailable', 'stopped before all was copied')
      insert(connection, table, rows)
      done += rows.length
      progress(table.name, done)
    }
    if (table.numberedBy !== undefined && table.remembersNumbers)
      await setNumber(client, connection, { name: table.name, column: table.numberedBy })
  }
}

async function count(client: Client, name: string): Promise<number> {
  const { rows } = await client.query<{ rows: number }>(`SELECT count(*) AS rows FROM "${name}"`)
  return rows[0]?.rows ?? 0
}

/** By table: the column that keeps the order of insertion, which is that of SQLite's rows. */
async function insertionColumns(client: Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ table_name: string; column_name: string }>(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = current_schema() AND identity_generation = 'ALWAYS'`,
  )
  return new Map(rows.map(({ table_name, column_name }) => [table_name, column_name]))
}

async function* readRows(
  client: Client,
  { name, columns, key }: Table,
  insertion: string | undefined,
): AsyncGenerator<Bindable[][]> {
  const order = insertion === undefined ? key : [insertion]
  await client.query(
    `DECLARE copied NO SCROLL CURSOR FOR SELECT ${quotedNames(columns)} FROM "${name}" ORDER BY ${quotedNames(order)}`,
  )
  for (;;) {
    // Columns are integers, reals, texts and bytes, read as SQLite gives them.
    const { rows } = await client.query<Bindable[]>({ text: `FETCH ${String(ROWS)} FROM copied`, rowMode: 'array' })
    if (rows.length > 0) yield rows
    if (rows.length < ROWS) break
  }
  await client.query('CLOSE copied')
}

function insert(connection: DatabaseSync, { name, columns }: Table, rows: readonly Bindable[][]): void {
  const places = columns.map(() => '?').join(', ')
  const statement = connection.prepare(`INSERT INTO "${name}" (${quotedNames(columns)}) VALUES (${places})`)
  for (const row of rows) statement.run(...row)
}

/** Numbers of rows that are gone are not given again. */
async function setNumber(
  client: Client,
  connection: DatabaseSync,
  { name, column }: { name: string; column: string },
): Promise<void> {
  const { rows } = await client.query<{ sequence: string }>('SELECT pg_get_serial_sequence($1, $2) AS sequence', [
    `"${name}"`,
    column,
  ])
  const { rows: values } = await client.query<{ given: number }>(
    `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS given FROM ${rows[0]?.sequence ?? ''}`,
  )
  const given = values[0]?.given ?? 0
  if (given === 0) return
  connection.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(name)
  connection.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, given)
}
