import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { ServiceError } from '../../../errors.ts'

/**
 * Exists only while data is copied into the database, and in one whose copy was interrupted: `source` says of what,
 * `attempt` which process copies.
 */
const MARKER = 'unfinished_copy'

/** Whether a copy into the database is not complete. */
export async function hasUnfinishedCopy(client: Client): Promise<boolean> {
  const { rows } = await client.query(`SELECT 1 WHERE to_regclass('${MARKER}') IS NOT NULL`)
  return rows.length > 0
}

/** What a copy found in the database: nothing, a part of the same data, or a part of other data, which is removed. */
export type Begun = 'new' | 'continued' | 'again'

/** A copy that this process makes. */
export interface Attempt {
  id: string
  begun: Begun
}

/**
 * Marks the database as incomplete, in a transaction. From then on no service opens it, and an earlier attempt that still
 * runs writes no more. Throws `failed_precondition` for a database that has data, or tables of others.
 */
export async function beginCopy(client: Client, source: string): Promise<Attempt> {
  const id = randomUUID()
  if (!(await hasUnfinishedCopy(client))) {
    await requireEmpty(client)
    await client.query(`CREATE TABLE ${MARKER} (source text NOT NULL, attempt text NOT NULL)`)
    await client.query(`INSERT INTO ${MARKER} (source, attempt) VALUES ($1, $2)`, [source, id])
    return { id, begun: 'new' }
  }
  // Waits for the transaction of another attempt.
  const { rows } = await client.query<{ source: string }>(`SELECT source FROM ${MARKER} FOR UPDATE`)
  const isSame = rows[0]?.source === source
  if (!isSame) await empty(client)
  await client.query(`UPDATE ${MARKER} SET source = $1, attempt = $2`, [source, id])
  return { id, begun: isSame ? 'continued' : 'again' }
}

/** Inside a transaction: throws `failed_precondition` when another process has begun to copy into the database. */
export async function requireAttempt(client: Client, { id }: Attempt): Promise<void> {
  const { rows } = await client.query<{ attempt: string }>(`SELECT attempt FROM ${MARKER} FOR UPDATE`)
  if (rows[0]?.attempt !== id) throw unusable('another process has begun to copy into it')
}

/** Lets the next attempt begin with an empty database. */
export async function spoilCopy(client: Client): Promise<void> {
  await client.query(`UPDATE ${MARKER} SET source = ''`)
}

/** Inside a transaction: from its commit on, a service may open the database. */
export async function endCopy(client: Client): Promise<void> {
  await client.query(`DROP TABLE ${MARKER}`)
}

/** All tables of the schema but the two about the schema itself. */
async function tableNames(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name NOT IN ('schema_version', '${MARKER}')`,
  )
  return rows.map(({ name }) => `"${name}"`)
}

/** Throws `failed_precondition` for a database that has rows, or tables of others. */
export async function requireEmpty(client: Client): Promise<void> {
  const names = await tableNames(client)
  const { rows: known } = await client.query(`SELECT 1 WHERE to_regclass('schema_version') IS NOT NULL`)
  if (names.length > 0 && known.length === 0) throw unusable('it has tables of another program')
  for (const name of names) {
    const { rows } = await client.query(`SELECT 1 FROM ${name} LIMIT 1`)
    if (rows.length > 0) throw unusable('it has data already')
  }
}

async function empty(client: Client): Promise<void> {
  const names = await tableNames(client)
  if (names.length > 0) await client.query(`TRUNCATE ${names.join(', ')} RESTART IDENTITY`)
}

function unusable(why: string): ServiceError {
  const message = `the PostgreSQL database cannot be copied into: ${why}; create an empty one (CREATE DATABASE), and name that`
  return new ServiceError('failed_precondition', message, { reason: 'DATABASE_NOT_EMPTY' })
}
