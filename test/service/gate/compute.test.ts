import type * as z from 'zod'
import { expect, test } from 'vitest'
import type { Verdict } from '../../../src/contract/quality-gate/verdict.ts'
import { startApp, type App } from '../../app.ts'
import { reasonOf, type Failure } from '../people.ts'

type VerdictBody = z.input<typeof Verdict>
type Answer = { verdict: VerdictBody } & Failure
type Headers = Record<string, string | undefined>

const at = (app: App) => `/v1/products/${app.productId}`

async function compute(app: App, scope: object = {}): Promise<VerdictBody> {
  const { status, body } = await app.request<Answer>('POST', `${at(app)}/quality-gate:compute`, scope)
  expect(status).toBe(200)
  return body.verdict
}

const read = (app: App, query = '') => app.request<Answer>('GET', `${at(app)}/quality-gate${query}`)

/** A report with one case per name, each naming a requirement; run `unit` of the default branch unless told. */
async function report(
  app: App,
  results: Readonly<Record<string, string>>,
  run: object = {},
  headers: Headers = {},
): Promise<void> {
  const cases = Object.entries(results).map(([name, status]) => ({
    file_path: 'test/cart.test.ts',
    suite_path: [],
    name,
    status,
  }))
  const { body } = await app.request('POST', `${at(app)}/tests:ingest`, { draft: { cases }, run }, headers)
  expect(body).toMatchObject({ ingest: {} })
}

async function requirement(app: App, more: object = {}): Promise<string> {
  const body = { title: 'Totals are right', status: 'APPROVED', priority: 'CRITICAL', ...more }
  const reply = await app.request<{ requirement: { key: string } }>('POST', `${at(app)}/requirements`, body)
  return reply.body.requirement.key
}

/** A product with an approved critical requirement, REQ-1. */
async function startProduct(): Promise<App> {
  const app = await startApp()
  await requirement(app)
  return app
}

test('a product without a result is inconclusive, also when it is asked again, and fails where requirements are unproved', async () => {
  await using app = await startApp()
  expect(reasonOf(await read(app))).toBe('VERDICT_NOT_COMPUTED')
  const first = await compute(app)
  expect(first.status).toBe('VERDICT_STATUS_INCONCLUSIVE')
  expect(await compute(app)).toEqual(first)
  await requirement(app)
  expect((await compute(app)).status).toBe('VERDICT_STATUS_FAIL')
})

test('a verdict is stored once per state of its inputs, and a stored one says when it is out of date', async () => {
  await using app = await startProduct()
  await report(app, { '[REQ-1] adds up': 'passed' })
  const passed = await compute(app)
  expect(passed).toMatchObject({
    status: 'VERDICT_STATUS_PASS',
    stale: false,
    previous: null,
    history: [],
    changes: [],
  })
  expect(await compute(app)).toEqual(passed)
  expect((await read(app)).body.verdict).toEqual(passed)

  await report(app, { '[REQ-1] adds up': 'failed' }, { run_key: 'second' })
  expect((await read(app)).body.verdict).toEqual({ ...passed, stale: true })
  const failed = await compute(app)
  expect(failed.id).not.toBe(passed.id)
  const earlier = { id: passed.id, status: passed.status, computed_at: passed.computed_at }
  expect(failed).toMatchObject({ status: 'VERDICT_STATUS_FAIL', stale: false, previous: earlier, history: [earlier] })
  expect(failed.changes).toContainEqual({
    condition_id: 'failing_tests',
    from: 'CONDITION_STATUS_PASS',
    to: 'CONDITION_STATUS_FAIL',
  })
  expect((await read(app, `?verdict_id=${passed.id}`)).body.verdict).toEqual({ ...passed, stale: true })
  expect((await read(app, '?verdict_id=nothing')).status).toBe(404)
})
