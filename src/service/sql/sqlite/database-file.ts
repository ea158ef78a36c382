import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { ServiceError } from '../../../errors.ts'
import { AS_OWNER, whyRefused } from '../../../lib/files/why-refused.ts'
import { NewerDatabase, newestVersion } from '../migrations.ts'
import { accessProblem } from './file-access.ts'
import { isMigrated, schemaVersion } from './migrate.ts'
import { resultCode, translateOpening } from './passing-failures.ts'

const RESTORE = 'restore a copy of it, or use another data directory'

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set([11, 26])
/** SQLITE_PERM, SQLITE_READONLY and SQLITE_CANTOPEN: no permission for the file, a file next to it, or the folder. */
const REFUSED = new Set([3, 8, 14])

/** The failure of opening `file`, with its path and the way out, where the file itself is the reason; else translated. */
export function explainFailure(file: string, error: unknown): unknown {
  if (error instanceof NewerDatabase) return unusable(file, error.message, { remedy: RESTORE, cause: error })
  if (!(error instanceof Error)) return error
  const [code = 0, cause] = [resultCode(error), error]
  if (DAMAGED.has(code))
    return unusable(file, `it is damaged, or no SQLite database (${error.message})`, { remedy: RESTORE, cause })
  if (REFUSED.has(code) || 'syscall' in error) {
    const { why, remedy } = accessProblem(file) ?? { why: whyRefused(error), remedy: AS_OWNER }
    return unusable(file, why, { remedy, cause })
  }
  return translateOpening(file, error)
}

/** Runs the work; its failure is thrown as `explainFailure` makes it. */
export function explained<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explainFailure(file, error)
  }
}

/** Creates an empty database file that only its owner can read. SQLite gives its journal the same permissions. */
export function createDatabaseFile(file: string): void {
  closeSync(openSync(file, 'wx', 0o600))
}

/** Where a database is written by a restore, until it is whole and takes the name of the file. */
export function restoringFile(file: string): string {
  return `${file}-restoring`
}

/** Throws `failed_precondition` for a database whose restore is not complete: a service would begin with an empty one. */
export function requireRestored(file: string): void {
  if (!existsSync(restoringFile(file))) return
  const message = `the restore of ${file} is not complete: run tracegate restore again, or delete ${restoringFile(file)}`
  throw new ServiceError('failed_precondition', message, { reason: 'DATABASE_UNUSABLE' })
}

/**
 * Why the database file cannot be used, found by reading all of it; undefined if it can, or does not exist yet. Changes
 * nothing.
 */
export function databaseProblem(file: string): string | undefined {
  if (!existsSync(file) || statSync(file).size === 0) return undefined
  try {
    const connection = new DatabaseSync(file, { readOnly: true })
    try {
      return findDamage(connection)
    } finally {
      connection.close()
    }
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be opened'
  }
}

/** Bytes of the pages that belong to each table with its indices, and of the pages that are free. */
export interface TableSizes {
  tables: ReadonlyMap<string, number>
  free: number
}

/** What takes room in a database file; undefined before its first migration has ended. Reads each page once. */
export function tableSizes(file: string): TableSizes | undefined {
  const connection = new DatabaseSync(file, { readOnly: true })
  try {
    if (connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'occurrence'").get() === undefined)
      return undefined
    const rows = connection
      .prepare(
        `SELECT coalesce(part.tbl_name, taken.name) AS name, sum(taken.pgsize) AS bytes
         FROM dbstat AS taken LEFT JOIN sqlite_schema AS part ON part.name = taken.name
         WHERE taken.aggregate = 1 GROUP BY 1`,
      )
      .all()
    const [pages, size] = ['freelist_count', 'page_size'].map((name) =>
      Number(connection.prepare(`PRAGMA ${name}`).get()?.[name]),
    )
    return { tables: new Map(rows.map(({ name, bytes }) => [String(name), Number(bytes)])), free: pages! * size! }
  } finally {
    connection.close()
  }
}

function findDamage(connection: DatabaseSync): string | undefined {
  const found = connection.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
  if (found !== 'ok') return `it is damaged: ${String(found)}`
  // A first start that was ended early leaves a database without any table.
  if (!isMigrated(connection)) return isBlank(connection) ? undefined : 'it is not a database of Tracegate'
  const [version, known] = [schemaVersion(connection), newestVersion('sqlite')]
  return version > known ? new NewerDatabase(version, known).message : undefined
}

/** The schema version of a database file; 0 where no start has made a table yet, or there is no file. Changes nothing. */
export function storedVersion(file: string): number {
  if (!existsSync(file) || statSync(file).size === 0) return 0
  const connection = new DatabaseSync(file, { readOnly: true })
  try {
    return isMigrated(connection) ? schemaVersion(connection) : 0
  } finally {
    connection.close()
  }
}

/** Whether a database has no table. */
export function isBlank(connection: DatabaseSync): boolean {
  return connection.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
}

function unusable(file: string, why: string, { remedy, cause }: { remedy: string; cause: unknown }): ServiceError {
  const message = `the database ${file} cannot be used: ${why}; ${remedy}`
  return new ServiceError('failed_precondition', message, { reason: 'DATABASE_UNUSABLE', cause })
}
