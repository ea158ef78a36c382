import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/service/sql/database.ts'
import { openPostgres } from '../../src/service/sql/postgres/postgres.ts'
import { createDatabase } from './databases.ts'

const insert = 'INSERT INTO place (environment_id, release_id) VALUES (?, ?)'

/** A database as people have it: the servers of tests flush nothing unless they are told to. */
async function openDurable(): Promise<{ db: Database; url: string; other: Client }> {
  const { url, drop } = await createDatabase()
  onTestFinished(drop)
  const durable = `${url}&options=${encodeURIComponent('-c synchronous_commit=on')}`
  const db = await openPostgres(durable)
  const other = new Client(url)
  await other.connect()
  onTestFinished(async () => {
    await other.end()
    await db.close()
  })
  return { db, url, other }
}

test('a write resolves when the server has its commit on disk', async () => {
  const { db, other } = await openDurable()
  await db.batch((prepare) => prepare(insert).run('before', ''))
  for (let round = 0; round < 5; round += 1) {
    const { place } = await db.batch(async (prepare) => {
      await prepare(insert).run(String(round), '')
      return (await prepare('SELECT pg_current_wal_insert_lsn()::text AS place').get<{ place: string }>())!
    })
    const { rows } = await other.query(`SELECT pg_current_wal_flush_lsn() >= '${place}'::pg_lsn AS flushed`)
    expect(rows).toEqual([{ flushed: true }])
  }
})

test('a write whose commit may not be on disk fails with unavailable, and the next one goes on', async () => {
  const { db, other } = await openDurable()
  await db.batch((prepare) => prepare(insert).run('first', ''))
  const endOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE '%pg_logical_emit_message%' AND pid <> pg_backend_pid()`
  const unsure = db.batch(async (prepare) => {
    await prepare(insert).run('unsure', '')
    const { rowCount } = await other.query(endOthers)
    expect(rowCount).toBe(1)
  })
  await expect(unsure).rejects.toMatchObject({ code: 'unavailable' })
  await db.batch((prepare) => prepare(insert).run('next', ''))
})

test('a write after the server has closed our connections does not rely on the flushing one of before', async () => {
  const { db, other } = await openDurable()
  await db.batch((prepare) => prepare(insert).run('before', ''))
  const end = (last: string) => `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '${last}'`
  const { rows } = await other.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND query LIKE 'SELECT pg_logical_emit_message%'`,
  )
  expect((await other.query(end('COMMIT'))).rowCount).toBe(1)
  await db.batch(async (prepare) => {
    await prepare(insert).run('after', '')
    // Its end may become known later than that of the other one.
    for (const { pid } of rows) await other.query('SELECT pg_terminate_backend($1)', [pid])
  })
  const { rows: places } = await other.query('SELECT environment_id FROM place ORDER BY id')
  expect(places).toEqual([{ environment_id: 'before' }, { environment_id: 'after' }])
})

test('a statement that was planned for an empty table is planned again while the table grows', async () => {
  const { db, other } = await openDurable()
  const select = 'SELECT id FROM occurrence WHERE product_id = ? AND sdk_event_id = ?'
  const lookUp = () => db.batch((prepare) => prepare(select).get(1, 'x'))
  for (let round = 0; round < 10; round += 1) await lookUp()
  await other.query(`SET session_replication_role = replica;
    INSERT INTO occurrence (id, product_id, issue_id, sdk_event_id, timestamp, received_at, summary, size_bytes, before_times_seen)
    SELECT n, 1, '', n, n, n, '', 0, 0 FROM generate_series(1, 20000) AS n`)
  for (let round = 0; round < 32; round += 1) await lookUp()
  const plan = await db.batch(async (prepare) => {
    const named = "SELECT name FROM pg_prepared_statements WHERE statement LIKE 'SELECT id FROM occurrence%'"
    const { name } = (await prepare(named).get<{ name: string }>())!
    return prepare(`EXPLAIN EXECUTE "${name}" (1, 'x')`).all<{ 'QUERY PLAN': string }>()
  })
  expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('occurrence_product_id_sdk_event_id_key')
})
