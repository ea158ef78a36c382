import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import type { Database } from '../../src/service/sql/database.ts'
import { openDatabase } from '../../src/service/sql/open/index.ts'
import { emptyDatabase } from '../empty-database.ts'

/** Names the server of the run, where `test/postgres/setup.ts` has started one. */
export const SERVER_VARIABLE = 'TRACEGATE_TEST_POSTGRES'
/** The migrated database without rows. */
export const TEMPLATE = 'tracegate_template'

/** Half the time of the other one; only a crash of the machine could damage what it makes. */
const HOW = ' STRATEGY file_copy'

/** Whether the tests of this project use PostgreSQL. */
export function usesPostgres(): boolean {
  return process.env['TRACEGATE_TEST_DATABASE'] === 'postgres'
}

export interface TestDatabase {
  name: string
  url: string
  drop(this: void): Promise<void>
}

/** A new database of the run's server: migrated, without rows, unless it is a copy of another one, which nobody uses. */
export async function createDatabase(template: string = TEMPLATE): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template}${HOW}`)
  return { name, url: databaseUrl(name), drop: () => administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

/** How often a database is used: its tables keep the room of deleted rows. */
const MOST_USES = 20
/** Deletes all rows, also those that others refer to, and begins all numbers again. */
const EMPTY = `DO $$ DECLARE name text; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version' LOOP
    EXECUTE format('DELETE FROM %I', name);
  END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL LOOP
    EXECUTE format('ALTER SEQUENCE %I RESTART', name);
  END LOOP;
END $$`

interface Borrowed {
  database: TestDatabase
  /** Stays open between the uses: a new connection reads all about the tables first, which takes longer than to empty them. */
  emptying: Client
  uses: number
}

/** Databases that are empty again. */
const free: Borrowed[] = []

/**
 * A migrated database without rows, which others have used before: emptying one takes a fraction of the time of making and
 * dropping it.
 */
export async function borrowDatabase(): Promise<TestDatabase> {
  const { database, emptying, uses } = free.pop() ?? (await newlyBorrowed())
  const { name, url } = database
  const drop = async () => {
    if (uses < MOST_USES) {
      await emptying.query(EMPTY)
      free.push({ database, emptying, uses: uses + 1 })
    } else {
      await emptying.end()
      await database.drop()
    }
  }
  return { name, url, drop }
}

async function newlyBorrowed(): Promise<Borrowed> {
  const database = await createDatabase()
  const emptying = new Client(database.url)
  await emptying.connect()
  return { database, emptying, uses: 0 }
}

/** Of data directories whose database is on the server. */
const known = new Map<string, string>()

/** The address of the database of a data directory: its file, or a database of the server, made when first asked for. */
export async function databaseIn(dataDir: string): Promise<string> {
  if (!usesPostgres()) return join(dataDir, 'tracegate.db')
  const url = known.get(dataDir) ?? (await createDatabase()).url
  known.set(dataDir, url)
  return url
}

/** Lets a database belong to a data directory. */
export function useDatabase(dataDir: string, url: string): void {
  known.set(dataDir, url)
}

export interface NewDatabase {
  db: Database
  /** For further connections. */
  address: string
}

/** A migrated database without rows, of the kind that the project tests: in a folder, or on the server until it is closed. */
export async function openNewDatabase(folder: string): Promise<NewDatabase> {
  if (!usesPostgres()) {
    const address = join(folder, 'tracegate.db')
    writeFileSync(address, await emptyDatabase())
    return { db: await openDatabase(address), address }
  }
  const { url, drop } = await borrowDatabase()
  const db = await openDatabase(url)
  const wrapped: Database = {
    read: db.read,
    write: (work) => db.write(work),
    batch: (work) => db.batch(work),
    writeInSlices: (work) => db.writeInSlices(work),
    async close() {
      await db.close()
      await drop()
    },
  }
  return { db: wrapped, address: url }
}

function administer(statement: string): Promise<void> {
  return runStatement(databaseUrl('postgres'), statement)
}

/** Runs a statement in a database, on a connection of its own. */
export async function runStatement(url: string, statement: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function databaseUrl(name: string): string {
  const server = process.env[SERVER_VARIABLE]
  if (server === undefined) throw new Error('the run has started no PostgreSQL server')
  return server.replace('/postgres?', `/${name}?`)
}
