import { expect, test } from 'vitest'
import { startApp, type App } from '../../app.ts'
import { existingIdOf, reasonOf } from '../people.ts'

interface One {
  environment: { id: string; name: string; known: boolean; origin: string; etag: string }
}
interface Many {
  environments: One['environment'][]
  pagination: { total_size: number }
}

const path = (app: App) => `/v1/products/${app.productId}/environments`
const create = (app: App, body: object) => app.request<One>('POST', path(app), body)
const list = async (app: App, query = '') => (await app.request<Many>('GET', `${path(app)}${query}`)).body

test('a new environment guesses its kind and weight from the name, and is known', async () => {
  await using app = await startApp()
  const { body } = await create(app, { name: ' qa-eu ', description: 'Testers' })
  expect(body.environment).toMatchObject({
    name: 'qa-eu',
    known: true,
    kind: 'ENVIRONMENT_KIND_TEST',
    exposure_weight: 0.1,
    description: 'Testers',
    origin: 'ORIGIN_MANUAL',
    latest_release: null,
    last_event_at: null,
    events_24h: 0,
  })
  expect((await app.request('GET', `/v1/environments/${body.environment.id}`)).body).toEqual(body)
})

test('names are unique whatever their case; the failure names the one that exists', async () => {
  await using app = await startApp()
  const { body } = await create(app, { name: 'Blue' })
  const reply = await create(app, { name: 'BLUE' })
  expect([reply.status, reasonOf(reply)]).toEqual([409, 'ENVIRONMENT_EXISTS'])
  expect(existingIdOf(reply)).toBe(body.environment.id)
})

test('an environment that only events named is not known until a token creates it: then it is the same one', async () => {
  await using app = await startApp()
  await app.ingest({ environment: 'warehouse-7' }, { environment: 'production' })
  const [production, warehouse] = (await list(app)).environments
  expect(production).toMatchObject({ name: 'production', known: true, origin: 'ORIGIN_EVENT' })
  expect(warehouse).toMatchObject({ name: 'warehouse-7', known: false, origin: 'ORIGIN_EVENT' })

  const reply = await create(app, { name: 'Warehouse-7', kind: 'staging' })
  expect(reply.status).toBe(200)
  expect(reply.body.environment).toMatchObject({
    id: warehouse?.id,
    name: 'Warehouse-7',
    known: true,
    origin: 'ORIGIN_MANUAL',
    kind: 'ENVIRONMENT_KIND_STAGING',
    exposure_weight: 0.4,
    events_24h: 1,
  })
  expect(reply.body.environment.etag).not.toBe(warehouse?.etag)
  expect((await create(app, { name: 'warehouse-7' })).status).toBe(409)
})

test('an environment tells its newest release and the events of the last day', async () => {
  let now = Date.UTC(2026, 5, 1)
  await using app = await startApp({ platform: { now: () => now } })
  await app.ingest({ environment: 'qa' }, { environment: 'qa' }, { environment: 'production' })
  now += 25 * 60 * 60 * 1000
  await app.ingest({ environment: 'qa' })
  for (const version of ['1.10.0', '1.9.0'])
    await app.request('POST', `/v1/products/${app.productId}/releases`, { version, environment: 'qa' })
  const { environments } = await list(app, '?name=QA')
  expect(environments).toMatchObject([
    {
      name: 'qa',
      events_24h: 1,
      latest_release: { version: '1.10.0', known: true },
      last_event_at: new Date(now).toISOString(),
    },
  ])
})

test('environments are listed by name and filtered by kind and name', async () => {
  await using app = await startApp()
  for (const name of ['Zeta', 'qa', 'alpha']) await create(app, { name })
  expect((await list(app)).environments.map(({ name }) => name)).toEqual(['alpha', 'qa', 'Zeta'])
  const filtered = await list(app, '?kind=test')
  expect([filtered.environments.map(({ name }) => name), filtered.pagination.total_size]).toEqual([['qa'], 1])
  expect((await list(app, '?name=ZETA')).environments).toHaveLength(1)
  expect((await list(app, '?name=nope')).environments).toEqual([])
})

test('a deleted environment is gone with its releases, and the next event with its name makes a new one', async () => {
  await using app = await startApp()
  await app.ingest({ environment: 'qa', release: '1.0.0' })
  const [before] = (await list(app)).environments
  const one = `/v1/environments/${before?.id}`
  expect((await app.request('DELETE', one)).body).toEqual({})
  expect(reasonOf(await app.request('GET', one))).toBe('ENVIRONMENT_NOT_FOUND')
  expect((await app.request('DELETE', one)).status).toBe(404)
  expect((await list(app)).environments).toEqual([])
  expect((await app.request('GET', `/v1/products/${app.productId}/releases`)).body).toMatchObject({ releases: [] })
  const issues = await app.request('GET', `/v1/products/${app.productId}/issues`)
  expect(issues.body).toMatchObject({ issues: [{ times_seen: 1 }] })

  await app.ingest({ environment: 'qa' })
  const [after] = (await list(app)).environments
  expect(after?.name).toBe('qa')
  expect(after?.id).not.toBe(before?.id)
})

test('creating and deleting are audited with what was and what is', async () => {
  await using app = await startApp()
  const { body } = await create(app, { name: 'qa' })
  await app.request('DELETE', `/v1/environments/${body.environment.id}`)
  const audits = await app.db.read.selectFrom('audit').selectAll().orderBy('id').execute()
  expect(audits.map(({ verb, resource_type, resource_id }) => [verb, resource_type, resource_id])).toEqual([
    ['create', 'environment', body.environment.id],
    ['delete', 'environment', body.environment.id],
  ])
  expect(audits.map(({ before_hash, after_hash }) => [before_hash === '', after_hash === ''])).toEqual([
    [true, false],
    [false, true],
  ])
})
