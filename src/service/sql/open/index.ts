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

/** What `pg` takes from the environment where an address leaves it out, with its files of passwords, and what TLS takes. */
const DRIVER_VARIABLES = [
  'PGHOST',
  'PGPORT',
  'PGDATABASE',
  'PGUSER',
  'USER',
  'USERNAME',
  'PGPASSWORD',
  'PGPASSFILE',
  'PGPASS_NO_DEESCAPE',
  'HOME',
  'APPDATA',
  'PGSSLMODE',
  'PGSSLNEGOTIATION',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'PGOPTIONS',
  'PGCLIENT_ENCODING',
  'PGBINARY',
  'PGREPLICATION',
]

/** The variables that a thread needs to open a database as this process does; none for a file. */
export function driverVariables(address: string, env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  if (!isPostgres(address)) return {}
  return Object.fromEntries(
    DRIVER_VARIABLES.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(address)
}

/** Its driver takes 29 ms to load, which a start on SQLite need not wait for. */
function loadPostgres() {
  return import('../postgres/postgres.ts')
}
