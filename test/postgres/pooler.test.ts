import { sql } from 'kysely'
import { Client } from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { replyText } from '../../src/contract/base/wire.ts'
import { openPostgres } from '../../src/service/sql/postgres/postgres.ts'
import { origin, startApp, type App } from '../app.ts'
import { tracegate } from '../cli/run.ts'
import { configure, heldProbe, probe, reach, readRun, start, until } from '../service/agents/probes.ts'
import { virtualClock } from '../virtual-clock.ts'
import { createDatabase, runStatement, TEMPLATE } from './databases.ts'
import { findProgram } from './machine.ts'
import { createPooler, type Pooler } from './pooler.ts'

const program = findProgram('pgbouncer', 'the tests behind a pooler')

let pooler: Pooler
beforeAll(async () => {
  if (program === undefined) return
  pooler = createPooler(program)
  await pooler.start()
  return () => pooler.kill()
})

/** A database, as it is reached through the pooler and directly. */
async function newDatabase(template = TEMPLATE) {
  const { url, drop } = await createDatabase(template)
  onTestFinished(drop)
  return { direct: url, pooled: pooler.through(url) }
}

async function opened(url: string, listenUrl?: string) {
  const db = await openPostgres(url, { listenUrl })
  onTestFinished(() => db.close())
  return db
}

type AppOptions = Parameters<typeof startApp>[0]

/** Two processes of one deployment. */
async function pair(databaseUrl: string, options: AppOptions = {}): Promise<[App, App]> {
  const apps: App[] = []
  for (const _ of ['one', 'other']) {
    const app = await startApp({ databaseUrl, ...options })
    onTestFinished(() => app.close())
    apps.push(app)
  }
  return [apps[0]!, apps[1]!]
}

const insert = 'INSERT INTO place (environment_id, release_id) VALUES (?, ?)'

describe.skipIf(program === undefined)('behind a pooler of transactions', () => {
  test('the first start creates the tables, and two processes store what they get while both read', async () => {
    const { direct, pooled } = await newDatabase('template0')
    const apps = await pair(pooled, { databaseListenUrl: direct })
    const issues = (app: App) => app.request<{ issues: { times_seen: number }[] }>('GET', '/v1/products/1/issues')
    const sending = apps.flatMap((app) => Array.from({ length: 40 }, () => app.ingest({})))
    const reading = apps.flatMap((app) => Array.from({ length: 20 }, () => issues(app)))
    expect(new Set((await Promise.all(sending)).map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set((await Promise.all(reading)).map(({ status }) => status))).toEqual(new Set([200]))
    for (const app of apps) expect((await issues(app)).body.issues).toMatchObject([{ times_seen: 80 }])
  })

  test('a process hears of the others at the address of the server, again after that connection was lost', async () => {
    const { direct, pooled } = await newDatabase()
    const [here, there] = [await opened(pooled, direct), await opened(pooled, direct)]
    const heard: string[] = []
    there.messages?.listen((text) => heard.push(text))
    const sendUntilHeard = (text: string) =>
      until(async () => {
        here.messages?.send(text)
        await new Promise((resolve) => setTimeout(resolve, 20))
        return heard.includes(text) || undefined
      })
    await sendUntilHeard('before')
    expect(await listeners(direct)).toBe(1)
    await runStatement(direct, `SELECT pg_terminate_backend(pid) ${LISTENERS}`)
    await sendUntilHeard('after')
  })

  test('a run that ends wakes whoever watches it in another process, whose own clock stands still', async () => {
    const { direct, pooled } = await newDatabase()
    const { type, started, release } = heldProbe()
    const [one, other] = await pair(pooled, { databaseListenUrl: direct, agentTypes: [type], clock: virtualClock() })
    await until(async () => ((await listeners(direct)) === 2 ? true : undefined))
    const id = await start(one, await configure(one))
    await until(() => started[0])
    const headers = { authorization: `Bearer ${other.token}` }
    const url = `${origin}/v1/agent-runs/${id}/events:stream`
    const watching = replyText(await other.service.direct({ method: 'GET', url, headers }))
    release()
    expect(await watching).toContain('AGENT_RUN_EVENT_TYPE_COMPLETED')
    expect((await readRun(other, id)).state).toBe('AGENT_RUN_STATE_SUCCEEDED')
  })

  test('without the address of the server everything works too: no statement relies on an earlier one', async () => {
    const { pooled } = await newDatabase()
    const apps = await pair(pooled, { agentTypes: [probe()] })
    // More writes at a time than the pooler has connections, so that each of them serves several processes.
    const sending = apps.flatMap((app) => Array.from({ length: 40 }, () => app.ingest({})))
    expect(new Set((await Promise.all(sending)).map(({ status }) => status))).toEqual(new Set([200]))
    const id = await start(apps[0], await configure(apps[0]))
    expect((await reach(apps[1], id)).state).toBe('AGENT_RUN_STATE_SUCCEEDED')
  })

  test('the limits of a write end with its transaction, and the schema is that of the database', async () => {
    const { direct, pooled } = await newDatabase('template0')
    await runStatement(direct, 'CREATE SCHEMA apart')
    const { rows } = await asked(direct, 'SELECT current_database() AS name')
    await runStatement(direct, `ALTER DATABASE ${String(rows[0]?.['name'])} SET search_path = apart`)
    const db = await opened(pooled)
    const limits = `SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement,
      current_schema() AS schema`
    const inside = await db.batch(async (prepare) => {
      await prepare(insert).run('a', '')
      return prepare(limits).get()
    })
    expect(inside).toEqual({ lock: '10s', statement: '1min', schema: 'apart' })
    // As many transactions at once as there are connections.
    const outside = await Promise.all(Array.from({ length: 8 }, () => sql.raw(limits).execute(db.read)))
    for (const each of outside) expect(each.rows).toEqual([{ lock: '0', statement: '0', schema: 'apart' }])
  })

  test('while the pooler is gone requests get 503, and afterwards they are answered again', async () => {
    const { direct, pooled } = await newDatabase()
    const [app] = await pair(pooled, { databaseListenUrl: direct })
    expect((await app.ingest({})).status).toBe(200)
    await pooler.kill()
    expect((await app.ingest({})).status).toBe(503)
    expect((await app.request('GET', '/v1/products/1/issues')).status).toBe(503)
    expect(await app.service.readinessProblem()).toBe('the database does not answer')
    await pooler.start()
    expect((await app.ingest({})).status).toBe(200)
    expect((await app.request('GET', '/v1/products/1/issues')).body).toMatchObject({ issues: [{ times_seen: 2 }] })
    expect(await app.service.readinessProblem()).toBeUndefined()
  })

  test('doctor names it when notifications do not arrive, and is content with the address of the server', async () => {
    const { direct, pooled } = await newDatabase()
    const without = await tracegate(['doctor'], { TRACEGATE_DATABASE_URL: pooled })
    expect(without.stdout).toContain('behind a transaction pooler: no notifications arrive')
    expect(without.stdout).toContain('set TRACEGATE_DATABASE_LISTEN_URL to the address of the server itself')
    const given = { TRACEGATE_DATABASE_URL: pooled, TRACEGATE_DATABASE_LISTEN_URL: direct }
    expect((await tracegate(['doctor'], given)).stdout).not.toContain('pooler')
  })
})

const LISTENERS = `FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN tracegate'`

async function listeners(url: string): Promise<number> {
  return (await asked(url, `SELECT 1 ${LISTENERS}`)).rows.length
}

async function asked(url: string, statement: string) {
  const client = new Client(url)
  await client.connect()
  const answer = await client.query<Record<string, unknown>>(statement)
  await client.end()
  return answer
}
