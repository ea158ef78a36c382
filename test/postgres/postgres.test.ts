import { sql } from 'kysely'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { ServiceError } from '../../src/errors.ts'
import type { Database } from '../../src/service/sql/database.ts'
import { explainOpening } from '../../src/service/sql/postgres/postgres-failures.ts'
import { readMigrations } from '../../src/service/sql/migrations.ts'
import { WRITE_LOCK } from '../../src/service/sql/postgres/postgres-locks.ts'
import { migratePostgres } from '../../src/service/sql/postgres/postgres-migrate.ts'
import { connectionConfig } from '../../src/service/sql/postgres/postgres-statements.ts'
import { openPostgres, type PostgresOptions } from '../../src/service/sql/postgres/postgres.ts'
import { createDatabase, runStatement } from './databases.ts'

async function newDatabase(options: { sql?: string } = {}): Promise<string> {
  const { url, drop } = await createDatabase()
  onTestFinished(drop)
  if (options.sql !== undefined) await runStatement(url, options.sql)
  return url
}

async function opened(url: string, options: PostgresOptions = {}): Promise<Database> {
  const db = await openPostgres(url, options)
  onTestFinished(() => db.close())
  return db
}

/** Rows of a table that any test may fill. */
async function places(db: Database): Promise<string[]> {
  const rows = await db.read.selectFrom('place').select('environment_id').orderBy('id').execute()
  return rows.map(({ environment_id: id }) => id)
}

const insert = 'INSERT INTO place (environment_id, release_id) VALUES (?, ?)'
const closeAll =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()'

test('writes of several processes are done one after the other: each sees what the last one has written', async () => {
  const url = await newDatabase()
  const processes = [await opened(url), await opened(url), await opened(url)]
  const add = (db: Database) =>
    db.write(async (rows) => {
      const { count } = await rows
        .selectFrom('place')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      await rows
        .insertInto('place')
        .values({ environment_id: String(count), release_id: '' })
        .execute()
    })
  await Promise.all(Array.from({ length: 30 }, (_, index) => add(processes[index % 3]!)))
  expect(await places(processes[0]!)).toEqual(Array.from({ length: 30 }, (_, index) => String(index)))
})

test('a write that throws leaves nothing behind, and the next one goes on', async () => {
  const db = await opened(await newDatabase())
  const failing = db.batch(async (prepare) => {
    await prepare(insert).run('gone', '')
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await db.batch((prepare) => prepare(insert).run('stays', ''))
  expect(await places(db)).toEqual(['stays'])
})

test('a transaction in which a statement has failed is not said to be committed', async () => {
  const db = await opened(await newDatabase())
  const swallowing = db.batch(async (prepare) => {
    await prepare(insert).run('a', '')
    await prepare('SELECT nothing')
      .all()
      .catch(() => undefined)
  })
  await expect(swallowing).rejects.toThrow('nothing was written')
  expect(await places(db)).toEqual([])
})

test('the failure of a statement that was sent is what the next statement and the whole write report', async () => {
  const db = await opened(await newDatabase())
  const told: string[] = []
  const failing = db.batch(async (prepare) => {
    await prepare(insert).send('a', '')
    await prepare(insert).send('a', '')
    await prepare('SELECT 1')
      .get()
      .catch((error: Error) => told.push(error.message))
    await prepare(insert).send('b', '')
  })
  await expect(failing).rejects.toThrow('duplicate key value')
  expect(told).toEqual([expect.stringContaining('duplicate key value')])
  await db.batch((prepare) => prepare(insert).send('a', ''))
  expect(await places(db)).toEqual(['a'])
})

test('long work lets other writes in between its slices, and what it has committed stays when it fails', async () => {
  const db = await opened(await newDatabase())
  const others: Promise<unknown>[] = []
  const long = db.writeInSlices(async (_, prepare, pause) => {
    for (let index = 0; index < 3; index += 1) {
      await prepare(insert).run(`long ${String(index)}`, '')
      if (index === 0) others.push(db.batch((inside) => inside(insert).run('other', '')))
      if (index === 2) throw new Error('no')
      await new Promise((resolve) => setTimeout(resolve, 30))
      await pause()
    }
  })
  await expect(long).rejects.toThrow('no')
  await Promise.all(others)
  expect(await places(db)).toEqual(['long 0', 'other', 'long 1'])
})

test('connections that the server has closed are opened again', async () => {
  const url = await newDatabase()
  const db = await opened(url)
  await db.batch((prepare) => prepare(insert).run('before', ''))
  expect(await places(db)).toEqual(['before'])
  await runStatement(url, closeAll)
  await db.batch((prepare) => prepare(insert).run('after', ''))
  expect(await places(db)).toEqual(['before', 'after'])
})

test('a transaction whose connection is lost fails as a whole, and can be repeated', async () => {
  const url = await newDatabase()
  const db = await opened(url)
  const work = (hurt: () => Promise<void>) =>
    db.batch(async (prepare) => {
      await prepare(insert).run('first', '')
      await hurt()
      await prepare(insert).run('second', '')
    })
  await expect(work(() => runStatement(url, closeAll))).rejects.toMatchObject({ code: 'unavailable' })
  expect(await places(db)).toEqual([])
  await work(() => Promise.resolve())
  expect(await places(db)).toEqual(['first', 'second'])
})

test('a write that another process keeps waiting fails with unavailable, and reads go on', async () => {
  const url = await newDatabase()
  const db = await opened(url, { lockTimeoutMs: 50 })
  const holder = new Client(url)
  await holder.connect()
  await holder.query(`BEGIN; SELECT pg_advisory_xact_lock(${String(WRITE_LOCK)})`)
  await expect(db.batch((prepare) => prepare(insert).run('a', ''))).rejects.toMatchObject({
    code: 'unavailable',
    reason: 'DATABASE_BUSY',
  })
  expect(await places(db)).toEqual([])
  await holder.end()
  await db.batch((prepare) => prepare(insert).run('a', ''))
})

test('a read that takes too long fails with unavailable, and has ended at the server too', async () => {
  const url = await newDatabase()
  const db = await opened(url, { readTimeoutMs: 100 })
  const slow = sql`SELECT pg_sleep(20)`.execute(db.read)
  await expect(slow).rejects.toMatchObject({ code: 'unavailable', reason: 'DATABASE_BUSY' })
  const running = sql<{ count: number }>`SELECT count(*) AS count FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`
  expect((await running.execute(db.read)).rows).toEqual([{ count: 0 }])
})

test('a process that stands still during a write loses it, and the others write', async () => {
  const url = await newDatabase()
  const [still, other] = [await opened(url, { silenceTimeoutMs: 1_000 }), await opened(url)]
  const [standing, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const lost = still.batch(async (prepare) => {
    await prepare(insert).run('lost', '')
    standing.resolve()
    await goOn.promise
    await prepare(insert).run('lost too', '')
  })
  await standing.promise
  await other.batch((prepare) => prepare(insert).run('other', ''))
  goOn.resolve()
  await expect(lost).rejects.toMatchObject({ code: 'unavailable' })
  expect(await places(other)).toEqual(['other'])
})

test('a database that takes no writes is said to be so, and is written again when it may', async () => {
  const url = await newDatabase()
  const name = new URL(url).pathname.slice(1)
  const db = await opened(url)
  const add = (place: string) => db.batch((prepare) => prepare(insert).run(place, ''))
  await runStatement(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  await expect(add('no')).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('read-only') })
  const writing = `${url}&options=${encodeURIComponent('-c default_transaction_read_only=off')}`
  await runStatement(writing, `ALTER DATABASE ${name} RESET default_transaction_read_only`)
  await add('yes')
  expect(await places(db)).toEqual(['yes'])
})

test('values come back as SQLite gives them: numbers, flags, bytes, and text in which NUL is U+FFFD', async () => {
  const db = await opened(await newDatabase())
  const { rows } = await sql<Record<string, unknown>>`SELECT count(*) AS count, sum(size) AS sum, avg(size) AS average,
    max(size) = 9007199254740991 AS is_large, ${'a\0b'}::text AS text, ${new Uint8Array([0, 255])}::bytea AS bytes
    FROM (VALUES (1::bigint), (9007199254740991)) AS given (size)`.execute(db.read)
  expect(rows).toEqual([
    {
      count: 2,
      sum: 9007199254740992,
      average: 4503599627370496,
      is_large: 1,
      text: 'a�b',
      bytes: Buffer.from([0, 255]),
    },
  ])
})

test('texts are compared by their bytes, whatever the collation of the database', async () => {
  const db = await opened(await newDatabase())
  for (const name of ['b', 'B', 'ä', 'a', '_', 'Z']) await db.batch((prepare) => prepare(insert).run(name, ''))
  const sorted = await db.read.selectFrom('place').select('environment_id').orderBy('environment_id').execute()
  expect(sorted.map(({ environment_id: id }) => id).join('')).toBe('BZ_abä')
})

test('processes that start at once on an empty database all succeed', async () => {
  const { url, drop } = await createDatabase('template0')
  onTestFinished(drop)
  const all = await Promise.all([opened(url), opened(url), opened(url)])
  for (const db of all) expect(await places(db)).toEqual([])
})

test('a statement that returns all columns goes on after a newer process has added one', async () => {
  const url = await newDatabase()
  const db = await opened(url)
  const all = () => db.batch((prepare) => prepare('SELECT * FROM place').all())
  await db.batch((prepare) => prepare(insert).run('a', ''))
  expect(await all()).toEqual([{ id: 1, environment_id: 'a', release_id: '' }])
  await runStatement(url, 'ALTER TABLE place ADD COLUMN added text')
  expect(await all()).toEqual([{ id: 1, environment_id: 'a', release_id: '', added: null }])
})

test('a migration gives way to what uses a table, and is tried again', async () => {
  const url = await newDatabase()
  const db = await opened(url)
  const [reader, client] = [new Client(url), new Client(connectionConfig(url))]
  await reader.connect()
  await client.connect()
  onTestFinished(() => client.end())
  await reader.query('BEGIN; LOCK TABLE place IN ACCESS SHARE MODE')
  const known = readMigrations('postgres')
  const version = known.at(-1)!.version + 1
  const migrations = [...known, { version, name: 'later', sql: 'ALTER TABLE place ADD COLUMN added text' }]
  const migrating = () => migratePostgres(client, { migrations, giveWayMs: 20 })
  await expect(migrating()).rejects.toMatchObject({ code: '55P03' })
  await db.batch((prepare) => prepare(insert).run('a', ''))
  expect(await places(db)).toEqual(['a'])
  await reader.end()
  await migrating()
  await db.batch((prepare) => prepare(insert).run('b', ''))
  expect(await places(db)).toEqual(['a', 'b'])
})

test('a database that does not exist is named without the password, with the way out', async () => {
  const url = (await newDatabase()).replace(/test_\w+/, 'nowhere').replace('tracegate@', 'tracegate:geheim@')
  const refused: unknown = await openPostgres(url).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ServiceError)
  expect((refused as ServiceError).message).toBe(
    'the database postgres://tracegate@localhost/nowhere cannot be used: the database does not exist; create it, or correct its name in TRACEGATE_DATABASE_URL',
  )
})

test.each([
  ['28P01', 'the password is wrong'],
  ['28000', 'pg_hba.conf'],
  ['ENOTFOUND', 'the host is unknown'],
  ['42501', 'the user may not create tables'],
  ['25006', 'name the primary server'],
])('a failure %s of the opening says what to do', (code, says) => {
  const error = explainOpening('postgres://me:geheim@host/db', Object.assign(new Error('refused'), { code }))
  expect(error.message).toContain(says)
  expect(error.message).not.toContain('geheim')
  expect(error.code).toBe('failed_precondition')
})
