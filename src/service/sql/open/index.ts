import { join } from 'node:path'
import type { OpenDatabase, OnSlow, Rows } from '../database.ts'
import { openReader, openSqlite } from '../sqlite/sqlite.ts'

/** The address of a PostgreSQL database, or the file of an SQLite one. */
export function databaseAddress(dataDir: string, url: string | undefined): string {
  return url ?? join(dataDir, 'tracegate.db')
}

export interface OpenOptions {
  /** Another address of a PostgreSQL database for notifications, where its own leads to a pooler of transactions. */
  listenUrl?: string | undefined
  /** Called for each statement of a PostgreSQL database that took a second or longer. */
  onSlow?: OnSlow | undefined
}

/** Opens a database at its address and brings it to the newest schema. */
export async function openDatabase(address: string, options: OpenOptions = {}): Promise<OpenDatabase> {
  return isPostgres(address) ? (await loadPostgres()).openPostgres(address, options) : openSqlite(address)
}

/** Opens a migrated database for another thread, which only reads; open until the thread ends. */
export async function openForReading(address: string): Promise<Rows> {
  return isPostgres(address) ? (await loadPostgres()).openPostgresReader(address) : openReader(address)
}

function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(address)
}

/** Its driver takes 29 ms to load, which a start on SQLite need not wait for. */
function loadPostgres() {
  return import('../postgres/postgres.ts')
}
