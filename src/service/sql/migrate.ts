import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

/** The folder of SQLite's numbered files. */
const FOLDER = join(import.meta.dirname, 'migrations', 'sqlite')

export interface Migration {
  version: number
  name: string
  sql: string
}

/** Thrown for a database that a newer version of the program has written. */
export class NewerDatabase extends Error {
  constructor(version: number, known: number) {
    super(`it has schema version ${version}, this program knows ${known}: start the newer program`)
  }
}

/** The numbered files of a folder in order. Throws when a number after the first is missing or used twice. */
export function readMigrations(folder: string = FOLDER): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  const migrations = files.map((file) => {
    const name = file.slice(0, -'.sql'.length)
    return { version: Number(name.slice(0, 4)), name, sql: readFileSync(join(folder, file), 'utf8') }
  })
  migrations.sort((left, right) => left.version - right.version)
  migrations.forEach((migration, index) => {
    const expected = (migrations[0]?.version ?? 1) + index
    if (migration.version !== expected) throw new Error(`migration ${migration.name} is not number ${expected}`)
  })
  return migrations
}

/** The version that this program brings a database to. */
export function newestVersion(): number {
  return readMigrations().length
}

/**
 * Brings the database to the newest version and returns that version. Each file runs in one transaction with its row in
 * `schema_version`, under the write lock: when two processes start at once, the second finds the work done. Only the
 * number of a file counts. Throws `NewerDatabase` for one that a newer version of the program has written.
 */
export function migrate(connection: DatabaseSync, migrations: readonly Migration[] = readMigrations()): number {
  const newest = migrations.length
  let current = inTransaction(connection, () => {
    connection.exec(
      'CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT',
    )
    return schemaVersion(connection)
  })
  if (current > newest) {
    throw new NewerDatabase(current, newest)
  }
  while (current < newest) {
    current = inTransaction(connection, () => {
      // Another process may have been faster while this one waited for the lock.
      const next = migrations[schemaVersion(connection)]
      if (next !== undefined) apply(connection, next)
      return schemaVersion(connection)
    })
  }
  return current
}

function apply(connection: DatabaseSync, migration: Migration): void {
  connection.exec(migration.sql)
  const record = connection.prepare('INSERT INTO schema_version (version, name, applied_at) VALUES (?, ?, ?)')
  record.run(migration.version, migration.name, Date.now())
}

/** The version of a database that has been migrated before. */
export function schemaVersion(connection: DatabaseSync): number {
  const row = connection.prepare('SELECT coalesce(max(version), 0) AS version FROM schema_version').get()
  return Number(row?.['version'])
}

function inTransaction<T>(connection: DatabaseSync, work: () => T): T {
  connection.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}
