import type * as z from 'zod'
import { expect } from 'vitest'
import type { Risk } from '../../../../src/contract/quality-gate/risks.ts'
import type { Verdict } from '../../../../src/contract/quality-gate/verdict.ts'
import { startApp, type App } from '../../../app.ts'
import { tokenHeaders } from '../../people.ts'

interface Answer {
  verdict: z.input<typeof Verdict>
  risk: z.input<typeof Risk>
}
type Headers = Record<string, string | undefined>

export const reason = 'the supplier fixes it with the next delivery'
/** The blocking conditions that fail. */
export const blocking = ['failing_tests', 'critical_coverage']

/** A product in which one of two linked tests fails; `now` moves its clock. */
export async function startFailing() {
  const clock = { now: Date.now() }
  const app = await startApp({ platform: { now: () => clock.now } })
  const post = (action: string, body: object = {}, headers: Headers = {}) =>
    app.request<Answer>('POST', `/v1/products/${app.productId}/quality-gate:${action}`, body, headers)
  await app.request('POST', `/v1/products/${app.productId}/requirements`, {
    title: 'Totals are right',
    status: 'APPROVED',
    priority: 'CRITICAL',
  })
  await report(app, { 'adds up [REQ-1]': 'PASSED', 'rounds [REQ-1]': 'FAILED' })
  await post('compute')
  return {
    app,
    clock,
    post,
    bob: await tokenHeaders(app, { member: 'Bob', scopes: ['gate:approve', 'gate:accept'] }),
    [Symbol.asyncDispose]: () => app.close(),
  }
}

/** A report with a case for each name. */
export async function report(app: App, results: Readonly<Record<string, string>>): Promise<void> {
  const cases = Object.entries(results).map(([name, status]) => ({
    file_path: 'test/cart.test.ts',
    suite_path: [],
    name,
    status,
  }))
  const { body } = await app.request('POST', `/v1/products/${app.productId}/tests:ingest`, { draft: { cases } })
  expect(body).toMatchObject({ ingest: {} })
}
