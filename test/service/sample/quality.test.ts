import { expect, test } from 'vitest'
import { sampleComponents } from '../../../src/service/sample/product.ts'
import { loadQuality } from '../../../src/service/sample/quality.ts'
import { startApp, type App } from '../../app.ts'
import { usesPostgres } from '../../postgres/databases.ts'
import { startSampleApp } from '../../sample-app.ts'

async function openWithComponents(): Promise<App> {
  const app = await startApp()
  for (const component of sampleComponents)
    await app.request('POST', `/v1/products/${app.productId}/components`, component)
  return app
}

/** Loads, and fails at the request with this number. */
function load(app: App, { now = Date.now(), failAt = Infinity } = {}) {
  let requests = 0
  return loadQuality({
    productId: Number(app.productId),
    db: app.db,
    now,
    async call(method, path, body) {
      requests += 1
      if (requests >= failAt) throw new Error('the power failed')
      const { status, body: answer } = await app.request(method, path, body)
      if (status !== 200) throw new Error(`${method} ${path}: ${String(status)} ${JSON.stringify(answer)}`)
      return answer
    },
  })
}

/** What the loading amounts to, without ids and times. */
async function contents({ api, db, productId: product_id }: App) {
  const { requirements } = await api.listRequirements({ product_id, page_size: 100 })
  const { tests } = await api.listTests({ product_id, kind: 'TEST_KIND_CASE', page_size: 100 })
  const { coverage_gaps: gaps } = await api.listCoverageGaps({ product_id, page_size: 100 })
  const count = async (table: 'test_run' | 'test_result' | 'test_link') =>
    (await db.read.selectFrom(table).select('product_id').execute()).length
  return {
    requirements: requirements.map(({ key, path, version, coverage }) => ({
      key,
      path,
      version,
      state: coverage?.state,
    })),
    tests: tests.map(({ key, title, requirement_keys: keys, stats }) => ({ key, title, keys, runs: stats?.runs })),
    gaps: gaps.map(({ requirement, type, score }) => ({ key: requirement?.key, type, score })),
    runs: await count('test_run'),
    results: await count('test_result'),
    links: await count('test_link'),
  }
}

test('the sample has a requirement in each state and a gap of each kind', async () => {
  await using app = await startSampleApp()
  const { coverage_gaps: gaps } = await app.api.listCoverageGaps({ product_id: app.productId, page_size: 100 })
  const told = gaps.map(
    ({ requirement, type }) => `${String(type?.slice('GAP_TYPE_'.length))} ${requirement?.key ?? 'a file'}`,
  )
  expect(told).toMatchInlineSnapshot(`
    [
      "NO_TEST REQ-16",
      "FAILING REQ-18",
      "NO_TEST REQ-13",
      "NO_TEST REQ-19",
      "FAILING REQ-12",
      "NO_TEST REQ-8",
      "FAILING REQ-21",
      "NO_TEST REQ-32",
      "FAILING REQ-5",
      "NO_TEST REQ-35",
      "NOT_RUN REQ-29",
      "NOT_RUN REQ-26",
      "NO_TEST REQ-23",
      "SUSPECT REQ-22",
      "UNCLAIMED_HOT_FILE a file",
      "UNCLAIMED_HOT_FILE a file",
      "PARTIAL_CRITERIA REQ-25",
      "UNCLAIMED_HOT_FILE a file",
      "UNCLAIMED_HOT_FILE a file",
      "UNCLAIMED_HOT_FILE a file",
    ]
  `)
  const { requirements } = await app.api.listRequirements({ product_id: app.productId, page_size: 100 })
  const verified = requirements.filter(({ coverage }) => coverage?.state === 'verified')
  expect(verified.map(({ key }) => key)).toMatchInlineSnapshot(`
    [
      "REQ-3",
      "REQ-4",
      "REQ-6",
      "REQ-7",
      "REQ-10",
      "REQ-11",
      "REQ-14",
      "REQ-17",
      "REQ-28",
      "REQ-31",
      "REQ-34",
    ]
  `)
  const flaky = requirements.filter(({ coverage }) => coverage?.flaky === true && coverage.state === 'verified')
  expect(flaky.map(({ key }) => key)).toEqual(['REQ-31'])
  expect(gaps[0]).toMatchObject({ requirement: { key: 'REQ-16' }, exposure: { events: expect.any(Number) } })
  expect(gaps[0]?.exposure?.events).toBeGreaterThan(100)
})

test('most cases name a requirement, some name none', async () => {
  await using app = await openWithComponents()
  await load(app)
  const { tests } = await contents(app)
  const named = tests.filter(({ keys = [] }) => keys.length > 0)
  expect([named.length, tests.length - named.length]).toEqual([36, 22])
  expect(tests.every(({ runs }) => runs === 2 || runs === 0)).toBe(true)
})

/** Requests at which a load ends early. What is put together again there does not depend on the database: the others are tried on SQLite. */
const interruptions = usesPostgres() ? [3, 41, 47] : [1, 3, 20, 38, 39, 41, 43, 45, 46, 47]

test('an interrupted load is completed by the next one, and nothing is duplicated', async () => {
  await using whole = await openWithComponents()
  const loaded = await load(whole)
  const expected = await contents(whole)
  for (const failAt of interruptions) {
    await using app = await openWithComponents()
    await expect(load(app, { failAt })).rejects.toThrow('the power failed')
    expect(await load(app, { now: Date.now() + 60_000 })).toEqual(loaded)
    expect(await contents(app), `failed at ${String(failAt)}`).toEqual(expected)
  }
}, 120_000)

test('a second load changes nothing', async () => {
  await using app = await openWithComponents()
  await load(app)
  const once = await contents(app)
  await load(app, { now: Date.now() + 3_600_000 })
  expect(await contents(app)).toEqual(once)
})
