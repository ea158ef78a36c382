import { expect, test } from 'vitest'
import { systemPlatform } from '../../../../src/service/shared/platform.ts'
import { startApp, type App } from '../../../app.ts'
import { reasonOf, type Failure } from '../../people.ts'

interface Ingest {
  run: { run_key: string; totals: Record<string, number> }
  summary: Record<string, number>
  warnings: { code: string; line: number }[]
}

const failing = '<failure message="expected 2">at cart.ts:3</failure>'
/** More cases and characters than are handled at once. */
const large = junit(600)

function junit(count: number): string {
  const cases = Array.from({ length: count }, (_, index) => {
    const names = `name="case ${String(index)}${index < 20 ? ' [REQ-1]' : ''} ${'with a long name '.repeat(8)}" classname="cart"`
    return `<testcase ${names} time="0.01">${index === 3 ? failing : ''}</testcase>`
  })
  return `<testsuite name="cart" file="test/cart.test.ts">${cases.join('\n')}</testsuite>`
}

const send = (app: App, content: string, more: object = {}) =>
  app.request<{ ingest: Ingest } & Failure>('POST', `/v1/products/${app.productId}/tests:ingest`, {
    draft: { content },
    ...more,
  })

const createRequirement = (app: App) =>
  app.request('POST', `/v1/products/${app.productId}/requirements`, { title: 'a rule' })

async function coverageOf(app: App) {
  const path = `/v1/products/${app.productId}/requirements`
  const { body } = await app.request<{ requirements: { coverage: { failing: boolean } }[] }>('GET', path)
  return body.requirements[0]?.coverage
}

test('a large report is stored like a small one, and sent again it changes nothing', async () => {
  await using app = await startApp()
  await createRequirement(app)
  const first = await send(app, large, { run: { run_key: 'ci-1' } })
  expect(first.status).toBe(200)
  expect(first.body.ingest).toMatchObject({
    run: { run_key: 'ci-1', totals: { tests: 600, passed: 599, failed: 1 } },
    summary: { cases_created: 600, suites_created: 1, results_recorded: 600, links_created: 20, failed: 1 },
    warnings: [],
  })
  expect(await coverageOf(app)).toMatchObject({ failing: true })
  const again = await send(app, large, { run: { run_key: 'ci-1' } })
  expect(again.body.ingest).toMatchObject({
    run: first.body.ingest.run,
    summary: {
      cases_created: 0,
      cases_unchanged: 600,
      results_recorded: 0,
      results_duplicate: 600,
      links_created: 0,
    },
  })
})

test('events and reads do not wait for a large report', async () => {
  const order: string[] = []
  const others: Promise<unknown>[] = []
  let made = 0
  const newId = () => {
    made += 1
    // The report is being stored.
    if (made === begun + 200) {
      const note = ({ status }: { status: number }) => order.push(String(status))
      others.push(app.ingest({}).then(note), app.request('GET', `/v1/products/${app.productId}/tests`).then(note))
    }
    return systemPlatform.newId()
  }
  let begun = Infinity
  await using app = await startApp({ platform: { newId } })
  begun = made
  await send(app, junit(1_500)).then(() => order.push('report'))
  await Promise.all(others)
  expect(order).toEqual(['200', '200', 'report'])
})

test('a report that is cut off marks its run, and what it stored counts; sent again it is complete', async () => {
  let made = 0
  let limit = Infinity
  const newId = () => {
    made += 1
    if (made > limit) throw new Error('the process ends here')
    return systemPlatform.newId()
  }
  await using app = await startApp({ platform: { newId } })
  await createRequirement(app)
  await send(app, junit(20))
  limit = made + 900
  const failed = await send(app, large, { run: { run_key: 'ci-1' } })
  expect(failed.status).toBe(500)
  limit = Infinity
  const stored = await app.db.read
    .selectFrom('test_result')
    .innerJoin('test_run', 'test_run.id', 'run_id')
    .select(['test_result.id'])
    .where('run_key', '=', 'ci-1')
    .execute()
  expect(stored.length).toBeGreaterThan(0)
  expect(stored.length).toBeLessThan(600)
  // The first cases are those of the requirement; the fourth of them failed.
  expect(await coverageOf(app)).toMatchObject({ failing: true })

  const other = await send(app, '<testsuite name="x"><testcase name="y"/></testsuite>', { run: { run_key: 'ci-1' } })
  expect(other.body.ingest.warnings).toMatchObject([{ code: 'RUN_INCOMPLETE' }])
  const again = await send(app, large, { run: { run_key: 'ci-1' } })
  expect(again.body.ingest).toMatchObject({
    run: { totals: { tests: 601 } },
    summary: { results_recorded: 600 - stored.length, results_duplicate: stored.length },
    warnings: [],
  })
})

test('two large reports of the same cases do not create them twice', async () => {
  await using app = await startApp()
  const replies = await Promise.all(['ci-1', 'ci-2'].map((run_key) => send(app, large, { run: { run_key } })))
  expect(replies.map(({ status }) => status)).toEqual([200, 200])
  const created = replies.map(({ body }) => body.ingest.summary['cases_created'])
  expect(new Set(created)).toEqual(new Set([0, 600]))
})

test('a large report that cannot be read fails as a small one does', async () => {
  await using app = await startApp()
  const broken = large.replace('</testsuite>', '<oops')
  const { status, body } = await send(app, broken)
  expect([status, reasonOf({ body })]).toEqual([400, 'REPORT_UNPARSABLE'])
  const foreign = await send(app, 'x'.repeat(200_000))
  expect([foreign.status, reasonOf(foreign)]).toEqual([400, 'FORMAT_UNKNOWN'])
})

test('a dry run of a large report writes nothing, and a request id is answered once', async () => {
  await using app = await startApp()
  const dry = await send(app, large, { validate_only: true })
  expect(dry.body.ingest.summary).toMatchObject({ cases_created: 600 })
  expect(await app.db.read.selectFrom('test').select('id').execute()).toEqual([])
  const once = await send(app, large, { request_id: 'r-1' })
  const twice = await send(app, large, { request_id: 'r-1' })
  expect(twice.body).toEqual(once.body)
  expect(twice.body.ingest.summary).toMatchObject({ cases_created: 600 })
})
