import { chmodSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { kill } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { REQUIREMENT_TABLES } from '../../src/service/gate/read/kept-requirements.ts'
import { TEST_TABLES } from '../../src/service/gate/read/kept-tests.ts'
import type { Rows } from '../../src/service/sql/database.ts'
import { withOneState } from '../../src/service/sql/one-state.ts'
import { openPostgres } from '../../src/service/sql/postgres/postgres.ts'
import { remembered, rememberedOfTables } from '../../src/service/sql/remembered.ts'
import { startApp } from '../app.ts'
import { runStatement } from './databases.ts'
import { startPostgres, type PostgresServer } from './server.ts'

const insert = 'INSERT INTO place (environment_id, release_id) VALUES (?, ?)'

// One of this file: another database of the server would change the state too.
let server: PostgresServer
beforeAll(async () => {
  // The server may run as another user.
  chmodSync(tmpdir(), 0o711)
  const started = await startPostgres()
  if (started === undefined) throw new Error('there is no PostgreSQL on this machine')
  server = started
})
afterAll(() => server.stop())

async function openTwo() {
  const [one, other] = [await openPostgres(server.url('postgres')), await openPostgres(server.url('postgres'))]
  onTestFinished(async () => {
    await one.close()
    await other.close()
  })
  return { one, other }
}

const stateIn = async ({ committedState }: Rows) => committedState?.()

test('a state is the same until the next commit, whichever process writes', async () => {
  const { one, other } = await openTwo()
  const before = await stateIn(one.read)
  expect(await stateIn(one.read)).toBe(before)
  expect(await stateIn(other.read)).toBe(before)
  await other.batch((prepare) => prepare(insert).run('other', ''))
  const after = await stateIn(one.read)
  expect(after).not.toBe(before)
  expect(await stateIn(other.read)).toBe(after)
})

test('a state that is asked for after a commit is that of the commit, also while an earlier question is on its way', async () => {
  const { one, other } = await openTwo()
  const early = stateIn(one.read)
  const shared = stateIn(one.read)
  await early
  const late = other.batch((prepare) => prepare(insert).run('late', '')).then(() => stateIn(one.read))
  expect(await shared).toBe(await early)
  expect(await late).not.toBe(await early)
})

test('work that answers from one state asks for it once, and again after its own writes and after its end', async () => {
  const { one } = await openTwo()
  const both = async () => [await stateIn(one.read), await one.read.tableState?.(['test'])]
  const earlier = await both()
  const seen = await withOneState(async () => {
    const states = [await both()]
    await runStatement(server.url('postgres'), 'DELETE FROM test')
    states.push(await both())
    await one.batch((prepare) => prepare('UPDATE test SET id = id').run())
    states.push(await both())
    return states
  })
  await runStatement(server.url('postgres'), 'DELETE FROM test')
  const later = await both()
  expect(seen.slice(0, 2)).toEqual([earlier, earlier])
  for (const place of [0, 1]) expect(new Set([earlier, seen[2], later].map((states) => states?.[place])).size).toBe(3)
})

test('what goes on after the end of such work asks each time', async () => {
  const { one, other } = await openTwo()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const goesOn = await withOneState(async () => {
    await stateIn(one.read)
    return { state: ended.then(() => stateIn(one.read)), before: await stateIn(one.read) }
  })
  await other.batch((prepare) => prepare(insert).run('meanwhile', ''))
  end()
  expect(await goesOn.state).not.toBe(goesOn.before)
})

test('a request that reads asks the server for its state once', async () => {
  await using app = await startApp({ databaseUrl: server.url('postgres') })
  await app.ingest({})
  const list = () => app.request('GET', `/v1/products/${app.productId}/issues?period=7d`)
  // The first request notes that the token was used.
  await list()
  const query = vi.spyOn(Pool.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  const { status } = await list()
  const statements = (query.mock.calls as unknown as [{ text: string }][]).map(([{ text }]) => text)
  expect([status, statements.filter((text) => text.includes('pg_current_snapshot')).length]).toEqual([200, 1])
})

test('a user who may not ask for the state reads everything each time', async () => {
  await runStatement(server.url('postgres'), 'CREATE ROLE plain LOGIN')
  await runStatement(server.url('postgres'), 'CREATE DATABASE plain OWNER plain')
  await runStatement(server.url('plain'), 'REVOKE EXECUTE ON FUNCTION pg_control_checkpoint() FROM PUBLIC')
  const db = await openPostgres(server.url('plain').replace('//tracegate@', '//plain@'))
  onTestFinished(() => db.close())
  expect(db.read.committedState).toBeUndefined()
  const counted = () =>
    remembered(db.read, 'places', async () => (await db.read.selectFrom('place').selectAll().execute()).length)
  expect(await counted()).toBe(0)
  await db.batch((prepare) => prepare(insert).run('here', ''))
  expect(await counted()).toBe(1)
})

test('the state of tables is another one after a commit that changes one of them, whichever process writes', async () => {
  const { one, other } = await openTwo()
  const state = async () => one.read.tableState?.(['test', 'test_run'])
  const states = [await state()]
  await one.batch((prepare) => prepare('UPDATE test SET id = id').run())
  states.push(await state())
  await other.write((rows) => rows.updateTable('test_run').set({ commit_sha: 'a' }).execute())
  states.push(await state())
  // As a program does that does not know of it.
  await runStatement(server.url('postgres'), 'DELETE FROM test')
  states.push(await state())
  expect(new Set(states).size).toBe(states.length)
})

test('the state of tables stays over commits of other tables, reads, and transactions that are rolled back', async () => {
  const { one } = await openTwo()
  const state = async () => one.read.tableState?.(['test', 'test_run'])
  const before = await state()
  await one.batch((prepare) => prepare(insert).run('another', ''))
  await one.batch((prepare) => prepare('UPDATE requirement SET id = id').run())
  await one.write((rows) => rows.selectFrom('test').selectAll().execute())
  const failed = one.batch(async (prepare) => {
    await prepare('UPDATE test SET id = id').run()
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  expect(await state()).toBe(before)
})

test('what is remembered of tables is read again after a commit that changes them, and after no other', async () => {
  const { one, other } = await openTwo()
  let reads = 0
  const read = async () => ({ answer: (reads += 1), until: Infinity })
  const asked = { tables: TEST_TABLES, now: 0, read, size: () => 1 }
  const ask = async () => rememberedOfTables(one.read, 'counted', asked)
  expect(await ask()).toBe(1)
  await other.batch((prepare) => prepare(insert).run('elsewhere', ''))
  expect(await ask()).toBe(1)
  await other.batch((prepare) => prepare('UPDATE test_result SET run_id = run_id').run())
  expect(await ask()).toBe(2)
})

test('the changes of each table are counted that the gate reads requirements and tests from', async () => {
  const { one } = await openTwo()
  const tables = [...new Set([...REQUIREMENT_TABLES, ...TEST_TABLES])]
  const counted: string[] = []
  for (const table of tables) {
    const before = await one.read.tableState?.([table])
    await one.batch((prepare) => prepare(`DELETE FROM ${table}`).run())
    if ((await one.read.tableState?.([table])) !== before) counted.push(table)
  }
  expect(counted).toEqual(tables)
})

test('no state comes back after the server has lost commits in a crash', async () => {
  const { one } = await openTwo()
  const [states, tableStates] = [new Set<unknown>(), new Set<unknown>()]
  for (let crash = 0; crash < 3; crash += 1) {
    if (crash > 0) await crashServer()
    for (let write = 0; write < 3; write += 1) {
      await retried(() => one.batch((prepare) => prepare(insert).run(`${String(crash)} ${String(write)}`, '')))
      states.add(await retried(() => stateIn(one.read)))
      await retried(() => one.batch((prepare) => prepare('UPDATE test SET id = id').run()))
      tableStates.add(await retried(async () => one.read.tableState?.(['test'])))
    }
  }
  expect(states.size).toBe(9)
  expect(tableStates.size).toBe(9)
})

test('what was read of commits that a crash lost is forgotten, though later commits have their numbers', async () => {
  await runStatement(server.url('postgres'), 'CREATE DATABASE lost')
  // The server writes its log to disk only when it is asked to.
  await runStatement(server.url('postgres'), `ALTER SYSTEM SET wal_writer_delay = '10s'`)
  await runStatement(server.url('postgres'), 'SELECT pg_reload_conf()')
  await using app = await startApp({ databaseUrl: server.url('lost') })
  const { api, productId: product_id } = app
  await api.createRequirement({ product_id, title: 'Totals', code_refs: [{ path: 'src/cart/**' }] })
  for (const fingerprint of ['one', 'other']) await app.ingest({ fingerprint: [fingerprint] })
  const { issues } = await api.listIssues({ product_id })
  const [one, other] = issues.map(({ id }) => id) as [string, string]
  const resolve = (id: string) => api.setIssueStatus({ id, status: 'resolved' })
  const open = async () => {
    const { traceability_matrix: matrix } = await api.getTraceability({ product_id })
    return matrix.rows?.flatMap((row) => row.issues?.map(({ id }) => id) ?? [])
  }
  expect(await open()).toHaveLength(2)
  await runStatement(server.url('lost'), 'CHECKPOINT')
  await resolve(one)
  expect(await open()).toEqual([other])
  await crashServer()
  await retried(() => resolve(other))
  expect(await open()).toEqual([one])
})

/** Ends one session by force, after which the server gives up all memory and recovers from its log. */
async function crashServer(): Promise<void> {
  const client = new Client(server.url('postgres'))
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const ended = new Promise((resolve) => client.once('end', resolve))
  kill(rows[0]?.pid ?? Number.NaN, 'SIGKILL')
  await ended
}

/** What the service answers with 503 meanwhile is asked again. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 100) throw error
      await sleep(50)
    }
  }
}
