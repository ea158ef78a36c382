import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import type { OpenDatabase, Rows } from '../../../src/service/sql/database.ts'
import { migrate } from '../../../src/service/sql/sqlite/migrate.ts'
import { remembered } from '../../../src/service/sql/remembered.ts'
import { openSqlite } from '../../../src/service/sql/sqlite/sqlite.ts'

let folder: string
let file: string
let db: OpenDatabase

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tracegate-sql-'))
  file = join(folder, 'tracegate.db')
  db = await openSqlite(file)
})

afterEach(async () => {
  await db.close()
  await rm(folder, { recursive: true })
})

const workspace = (id: string) => ({ id, slug: id, name: id, created_at: 1, updated_at: 1 })
const names = async () =>
  (await db.read.selectFrom('workspace').select('id').orderBy('id').execute()).map((row) => row.id)

test('an answer is remembered until this process or another one commits', async () => {
  const other = await openSqlite(file)
  let computed = 0
  const count = (rows = db.read) => remembered(rows, 'count', async () => (computed += 1))
  expect([await count(), await count()]).toEqual([1, 1])
  await db.write((rows) => rows.insertInto('workspace').values(workspace('a')).execute())
  expect([await count(), await count()]).toEqual([2, 2])
  await other.write((rows) => rows.insertInto('workspace').values(workspace('b')).execute())
  expect([await count(), await count()]).toEqual([3, 3])
  expect(await db.write(async (rows) => [await count(rows), await count(rows)])).toEqual([4, 5])
  await other.close()
})

test('a computation that failed is not remembered', async () => {
  const failing = remembered(db.read, 'key', () => Promise.reject(new Error('disk')))
  await expect(failing).rejects.toThrow('disk')
  expect(await remembered(db.read, 'key', () => Promise.resolve(1))).toBe(1)
})

test('a committed write is seen by the reader, and only its owner may read the file', async () => {
  await db.write((rows) => rows.insertInto('workspace').values(workspace('a')).execute())
  expect(await names()).toEqual(['a'])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(`${file}-wal`)).mode & 0o777).toBe(0o600)
})

test('the file uses WAL and pages of 4 KB', async () => {
  const other = new DatabaseSync(file)
  expect(other.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' })
  expect(other.prepare('PRAGMA page_size').get()).toMatchObject({ page_size: 4096 })
  other.close()
})

test('a write that throws leaves nothing behind and the next one works', async () => {
  const failed = db.write(async (rows) => {
    await rows.insertInto('workspace').values(workspace('lost')).execute()
    throw new Error('changed my mind')
  })
  await expect(failed).rejects.toThrow('changed my mind')
  await expect(db.batch(async () => JSON.parse('{'))).rejects.toThrow(SyntaxError)
  await db.write((rows) => rows.insertInto('workspace').values(workspace('kept')).execute())
  expect(await names()).toEqual(['kept'])
})

test('writes and batches run one at a time in the order in which they were asked for', async () => {
  const order: string[] = []
  await Promise.all([
    db.write(async (rows) => {
      order.push('first begins')
      await rows.insertInto('workspace').values(workspace('a')).execute()
      await new Promise(setImmediate)
      order.push('first ends')
    }),
    db.batch(async (prepare) => {
      await prepare('INSERT INTO workspace VALUES (?, ?, ?, 1, 1)').run('b', 'b', 'b')
      order.push('second')
    }),
    db.write(async () => {
      order.push('third')
    }),
  ])
  expect(order).toEqual(['first begins', 'first ends', 'second', 'third'])
  expect(await names()).toEqual(['a', 'b'])
})

test('a batch can lose one part and keep its neighbours with a savepoint', async () => {
  await db.batch(async (prepare) => {
    await prepare('INSERT INTO workspace VALUES (?, ?, ?, 1, 1)').run('a', 'a', 'a')
    await prepare('SAVEPOINT part').run()
    await prepare('INSERT INTO workspace VALUES (?, ?, ?, 1, 1)').run('b', 'b', 'b')
    await prepare('ROLLBACK TO part').run()
    await prepare('RELEASE part').run()
  })
  expect(await names()).toEqual(['a'])
})

test('the read side cannot write', async () => {
  await expect(db.read.insertInto('workspace').values(workspace('a')).execute()).rejects.toThrow('readonly')
})

test('foreign keys are enforced', async () => {
  const orphan = { workspace_id: 'none', user_id: 'none', role: 'x' }
  await expect(db.write((rows) => rows.insertInto('workspace_member').values(orphan).execute())).rejects.toThrow(
    'FOREIGN KEY',
  )
})

test('a lock held by another process becomes unavailable, and passes', async () => {
  await db.close()
  db = await openSqlite(file, { busyTimeoutMs: 20 })
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const blocked = db.write((rows) => rows.insertInto('workspace').values(workspace('a')).execute())
  await expect(blocked).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
  other.exec('COMMIT')
  other.close()
  await db.write((rows) => rows.insertInto('workspace').values(workspace('b')).execute())
  expect(await names()).toEqual(['b'])
})

test('while another process holds the write lock a read goes on, and the write follows when it lets go', async () => {
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const order: string[] = []
  const write = db
    .write((rows) => rows.insertInto('workspace').values(workspace('a')).execute())
    .then(() => order.push('write'))
  await nextTurn()
  expect(await names()).toEqual([])
  order.push('read')
  other.exec('COMMIT')
  other.close()
  await write
  expect(order).toEqual(['read', 'write'])
})

test('writes that queued behind one that waited in vain do not wait as long again', async () => {
  await db.close()
  const busyTimeoutMs = 100
  db = await openSqlite(file, { busyTimeoutMs })
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const order: string[] = []
  const refused = (name: string) =>
    db.write(() => Promise.resolve()).catch((error: ServiceError) => order.push(`${name} ${error.code}`))
  const first = refused('first')
  const queued = ['second', 'third', 'fourth', 'fifth'].map(refused)
  await first
  await Promise.all([...queued, sleep(2 * busyTimeoutMs).then(() => order.push('two waits more'))])
  expect(order).toEqual([
    ...['first', 'second', 'third', 'fourth', 'fifth'].map((name) => `${name} unavailable`),
    'two waits more',
  ])
  const late = db.write((rows) => rows.insertInto('workspace').values(workspace('late')).execute())
  await nextTurn()
  other.exec('COMMIT')
  other.close()
  await late
  expect(await names()).toEqual(['late'])
})

test('between the transactions of a long job others get their turn', async () => {
  const order: string[] = []
  setImmediate(() => order.push('other work'))
  for (const step of ['step 1', 'step 2', 'step 3']) {
    await db.batch(() => Promise.resolve())
    order.push(step)
  }
  expect(order.indexOf('other work')).toBeLessThan(order.indexOf('step 3'))
})

test('opening a database that stays locked is unavailable', async () => {
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  await expect(openSqlite(file, { busyTimeoutMs: 20 })).rejects.toMatchObject({
    code: 'unavailable',
    reason: 'DATABASE_BUSY',
  })
  other.close()
})

test('a read that meets a lock is unavailable, prepared before or not, whole or row by row', async () => {
  await db.close()
  db = await openSqlite(file, { busyTimeoutMs: 20 })
  // Readers of a log wait for nobody but its recovery; a file without a log can be locked for as long as we like.
  const other = new DatabaseSync(join(folder, 'other.db'))
  other.exec('CREATE TABLE workspace (id TEXT) STRICT')
  await sql`ATTACH ${join(folder, 'other.db')} AS other`.execute(db.read)
  const query = db.read.withSchema('other').selectFrom('workspace').select('id')
  const busy = { code: 'unavailable', reason: 'DATABASE_BUSY' }
  other.exec('BEGIN EXCLUSIVE')
  await expect(query.execute()).rejects.toMatchObject(busy)
  other.exec('COMMIT')
  expect(await query.execute()).toEqual([])
  other.exec('BEGIN EXCLUSIVE')
  await expect(query.execute()).rejects.toMatchObject(busy)
  await expect(Array.fromAsync(query.stream())).rejects.toMatchObject(busy)
  other.close()
})

test('a merge of the log reaches the disk itself, also where fsync stops at its cache', async () => {
  const setting = (name: string) =>
    db.batch(async (prepare) => (await prepare(`PRAGMA ${name}`).get<Record<string, number>>())?.[name])
  expect(await setting('synchronous')).toBe(1)
  expect(await setting('fullfsync')).toBe(1)
  expect(await setting('checkpoint_fullfsync')).toBe(1)
})

test('a write resolves once a flush that began after its commit has ended; the next one runs meanwhile', async () => {
  const flushes: (() => void)[] = []
  const held = await openSqlite(join(folder, 'held.db'), { sync: (_, done) => flushes.push(() => done(null)) })
  const settled: string[] = []
  const write = (id: string) =>
    held.write((rows) => rows.insertInto('workspace').values(workspace(id)).execute()).then(() => settled.push(id))
  const count = () => held.read.selectFrom('workspace').selectAll().execute()
  const writes = [write('a'), write('b'), held.batch(async () => settled.push('batch runs'))]
  await expect.poll(async () => (await count()).length).toBe(2)
  await expect.poll(() => settled).toEqual(['batch runs'])
  expect(flushes).toHaveLength(1)
  flushes.shift()?.()
  await expect.poll(() => flushes.length).toBe(1)
  expect(settled).toEqual(['batch runs', 'a'])
  flushes.shift()?.()
  await Promise.all(writes)
  expect(settled).toEqual(['batch runs', 'a', 'b'])
  await held.close()
})

test('after a flush that failed nothing is written, because no later one can prove anything', async () => {
  const errors = [new Error('EIO'), null]
  const broken = await openSqlite(join(folder, 'broken.db'), { sync: (_, done) => done(errors.shift() ?? null) })
  const add = (id: string) => broken.write((rows) => rows.insertInto('workspace').values(workspace(id)).execute())
  await expect(add('a')).rejects.toMatchObject({ code: 'unavailable' })
  await expect(add('b')).rejects.toMatchObject({ code: 'unavailable' })
  await expect(broken.batch(() => Promise.resolve())).rejects.toMatchObject({ code: 'unavailable' })
  expect(errors).toHaveLength(1)
  await broken.close()
})

test('a closed database refuses politely, and a second close is harmless', async () => {
  const last = db.write((rows) => rows.insertInto('workspace').values(workspace('a')).execute())
  await db.close()
  await last
  await db.close()
  await expect(db.write(() => Promise.resolve())).rejects.toBeInstanceOf(ServiceError)
})

test('opening again finds the data and applies nothing twice', async () => {
  await db.write((rows) => rows.insertInto('workspace').values(workspace('a')).execute())
  await db.close()
  db = await openSqlite(file)
  expect(await names()).toEqual(['a'])
})

test('processes that start at once on a fresh file all succeed', async () => {
  const fresh = join(folder, 'fresh.db')
  const script = `import { openSqlite } from ${JSON.stringify(join(import.meta.dirname, '../../../src/service/sql/sqlite/sqlite.ts'))}
    const db = await openSqlite(${JSON.stringify(fresh)}); await db.close()`
  const start = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  await Promise.all([start(), start(), start()])
  const connection = new DatabaseSync(fresh)
  expect(connection.prepare('SELECT count(*) AS n FROM schema_version WHERE version = 1').get()).toMatchObject({ n: 1 })
  connection.close()
})

test('a database made before a migration file was renamed opens: only the number counts', async () => {
  await db.close()
  const connection = new DatabaseSync(file)
  connection.exec("UPDATE schema_version SET name = '0001-another-name' WHERE version = 1")
  const applied = connection.prepare('SELECT count(*) AS n FROM schema_version').get()
  connection.close()
  db = await openSqlite(file)
  await db.write((rows) => rows.insertInto('workspace').values(workspace('a')).execute())
  const again = new DatabaseSync(file)
  expect(again.prepare('SELECT count(*) AS n FROM schema_version').get()).toEqual(applied)
  again.close()
})

test('a migration that fails leaves no table behind', () => {
  const connection = new DatabaseSync(join(folder, 'broken.db'))
  const broken = {
    version: 1,
    name: '0001-broken',
    sql: 'CREATE TABLE half (id TEXT) STRICT; CREATE TABLE half (id TEXT)',
  }
  expect(() => migrate(connection, [broken])).toThrow('already exists')
  expect(connection.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()).toMatchObject({
    n: 0,
  })
  connection.close()
})

test('a database of a newer version is refused with its number and a way out', async () => {
  await db.close()
  const connection = new DatabaseSync(file)
  connection.exec("INSERT INTO schema_version VALUES (999, '0999-future', 0)")
  connection.close()
  await expect(openSqlite(file)).rejects.toThrow(
    `the database ${file} cannot be used: it has schema version 999, this program knows`,
  )
})

test('a process that began before a newer program upgraded the file writes no more, and says why', async () => {
  const add = (rows: Rows, id: string) => rows.insertInto('workspace').values(workspace(id)).execute()
  await db.write((rows) => add(rows, 'a'))
  expect(db.problem?.()).toBeUndefined()
  const newer = new DatabaseSync(file)
  newer.exec("INSERT INTO schema_version VALUES (999, '0999-future', 0)")
  newer.close()
  const message = 'a newer version of Tracegate has upgraded the database: start this process again, with that version'
  const refusal = { code: 'unavailable', message }
  await expect(db.write((rows) => add(rows, 'b'))).rejects.toMatchObject(refusal)
  await expect(db.writeInSlices((rows) => add(rows, 'b'))).rejects.toMatchObject(refusal)
  expect(db.problem?.()).toBe(message)
  expect(await names()).toEqual(['a'])
})
