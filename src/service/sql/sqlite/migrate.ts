import type { DatabaseSync } from 'node:sqlite'
import { NewerDatabase, readMigrations, type Migration } from '../migrations.ts'

/**
 * Brings the database to the newest version and returns that version. Each file runs in one transaction with its row in
 * `schema_version`, under the write lock: when two processes start at once, the second finds the work done. Only the
 * number of a file counts. Throws `NewerDatabase` for one that a newer version of the program has written.
 */
export function migrate(connection: DatabaseSync, migrations: readonly Migration[] = readMigrations('sqlite')): number {
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

/** Whether a database has a version: that of another program has none. */
export function isMigrated(connection: DatabaseSync): boolean {
  return connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_version'").get() !== undefined
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
