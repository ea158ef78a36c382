import type { Client } from 'pg'
import { ServiceError } from '../../../errors.ts'
import { BREAKING, NewerDatabase, newestVersion, readMigrations, type Migration } from '../migrations.ts'
import { MIGRATION_LOCK, WRITE_LOCK } from './postgres-locks.ts'
import { hasUnfinishedCopy } from './unfinished-copy.ts'

/** The oldest version of the server that is tested. */
const OLDEST_SERVER = 140_000
/**
 * How long a statement of a migration waits for others that use a table: they wait behind it, also those of an older
 * version that serves requests. Shorter than a write waits for its turn.
 */
const GIVE_WAY_MS = 5_000
/** How long it may send nothing: of a machine that was cut off, the server would keep the lock for hours. */
const SILENCE_TIMEOUT_MS = 30_000

/**
 * Brings the database to the newest version, each file in one transaction, under a lock that several processes take in
 * turn. A database of a newer version stays as it is. Resolves to the column that numbers the rows of each table that has
 * one. Throws `failed_precondition` for a server that is too old, and a database with another encoding than UTF-8, with a
 * newer version that this program cannot work with, or into which a copy is not complete, unless this is for the copy.
 */
export async function migratePostgres(
  client: Client,
  {
    migrations = readMigrations('postgres'),
    forCopy = false,
    giveWayMs = GIVE_WAY_MS,
  }: { migrations?: readonly Migration[]; forCopy?: boolean; giveWayMs?: number } = {},
): Promise<ReadonlyMap<string, string>> {
  await checkServer(client)
  const first = migrations[0]?.version ?? 1
  const newest = first + migrations.length - 1
  for (;;) {
    const version = await lockingMigrations(client, async () => {
      if (!forCopy) await requireComplete(client)
      const { version: current, breaking } = await readVersion(client)
      // A copy has to fill all tables.
      if (breaking > newest || (forCopy && current > newest)) throw unusable(new NewerDatabase(current, newest).message)
      const next = current === 0 ? migrations[0] : migrations[current + 1 - first]
      if (next !== undefined) await apply(client, next, giveWayMs)
      return next?.version ?? current
    })
    if (version >= newest) break
  }
  return numberedColumns(client)
}

async function requireComplete(client: Client): Promise<void> {
  if (!(await hasUnfinishedCopy(client))) return
  throw unusable(
    'data is being copied into it, or that was interrupted: run the same tracegate move or tracegate restore again, which completes it',
  )
}

/**
 * For reading all tables of a database that is left as it is. Throws `failed_precondition` for one that is not of the
 * program's schema version, or into which a copy is not complete.
 */
export async function requireVersion(client: Client): Promise<void> {
  await requireComplete(client)
  const { rows: known } = await client.query(`SELECT 1 WHERE to_regclass('schema_version') IS NOT NULL`)
  if (known.length === 0) throw unusable('it has no data of Tracegate')
  const { rows } = await client.query<{ version: number }>('SELECT max(version) AS version FROM schema_version')
  const [version, newest] = [rows[0]?.version ?? 0, newestVersion('postgres')]
  if (version > newest) throw unusable(new NewerDatabase(version, newest).message)
  if (version < newest) {
    throw unusable(
      `it has schema version ${String(version)}, this program has ${String(newest)}: start the service of this version once, or use the version that writes it`,
    )
  }
}

/** Resolves to the version of the server. Throws `failed_precondition` where it, or the encoding, cannot be used. */
export async function checkServer(client: Client): Promise<string> {
  const { rows } = await client.query<{ version: string; encoding: string; name: string }>(
    `SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding,
       current_setting('server_version') AS name`,
  )
  const server = rows[0]!
  if (Number(server.version) < OLDEST_SERVER)
    throw unusable(`the server has version ${server.name}; Tracegate needs 14 or newer`)
  if (server.encoding !== 'UTF8')
    throw unusable(`its encoding is ${server.encoding}; create one with ENCODING 'UTF8' TEMPLATE template0`)
  return server.name
}

interface SchemaVersion {
  version: number
  /** The newest version that older programs cannot work with; 0 if there is none. */
  breaking: number
}

async function readVersion(client: Client): Promise<SchemaVersion> {
  await client.query(
    'CREATE TABLE IF NOT EXISTS schema_version (version bigint PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)',
  )
  const { rows } = await client.query<SchemaVersion>(
    `SELECT coalesce(max(version), 0) AS version,
       coalesce(max(version) FILTER (WHERE name LIKE '%${BREAKING}'), 0) AS breaking FROM schema_version`,
  )
  // An aggregate has one row.
  return rows[0]!
}

async function apply(client: Client, { version, name, sql }: Migration, giveWayMs: number): Promise<void> {
  // Without the lock of writes, a write and this one could each wait for a table that the other uses.
  await client.query(
    `SET LOCAL lock_timeout = ${String(giveWayMs)}; SELECT pg_advisory_xact_lock(${String(WRITE_LOCK)})`,
  )
  await client.query(sql)
  const row = [version, name, Date.now()]
  await client.query('INSERT INTO schema_version (version, name, applied_at) VALUES ($1, $2, $3)', row)
}

async function numberedColumns(client: Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ table_name: string; column_name: string }>(
    `SELECT relname AS table_name, attname AS column_name
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attidentity = 'd'`,
  )
  return new Map(rows.map(({ table_name, column_name }) => [table_name, column_name]))
}

/** Runs the work in a transaction, while no other process opens the database. */
export async function lockingMigrations<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query(
    `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${String(SILENCE_TIMEOUT_MS)}; SELECT pg_advisory_xact_lock(${String(MIGRATION_LOCK)})`,
  )
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

function unusable(why: string): ServiceError {
  return new ServiceError('failed_precondition', `the database cannot be used: ${why}`, { reason: 'DATABASE_UNUSABLE' })
}
