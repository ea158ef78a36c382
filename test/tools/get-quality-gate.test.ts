import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'
import { shown } from './shop.ts'

let shop: QualityShop
let agent: Connected
beforeEach(async () => {
  shop = await openQualityShop()
  agent = await connect(shop.api)
})
afterEach(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

/** A failing case, as a later run reports it. */
async function fail(name: string) {
  await shop.api.ingestTests({
    product_id: shop.productId,
    draft: { cases: [{ file_path: 'test/new.test.ts', suite_path: [], name, status: 'RESULT_STATUS_FAILED' }] },
    run: { environment: 'ci', run_key: name },
  })
}

test('without a verdict the error names the call that computes one', async () => {
  const { text, isError } = await agent.call('get_quality_gate')
  expect(isError).toBe(true)
  expect(text).toContain('there is no verdict yet')
  expect(text).toContain('compute_quality_gate {"product":"1"}')
})

test('a verdict states its age, and that it is stale once something has changed', async () => {
  await agent.call('compute_quality_gate')
  const fresh = await agent.call('get_quality_gate')
  expect(fresh.text).toMatch(/^FAIL \(computed .+ ago\): /)
  expect(fresh.text).not.toContain('Stale')
  await fail('breaks')
  const stale = await agent.call('get_quality_gate')
  expect(stale.text).toContain('Stale: requirements, tests, results or issues have changed since.')
  expect(stale.text).toContain('- compute_quality_gate {"product":"1"}')
})

test('only: new leaves out what the previous verdict listed', async () => {
  await agent.call('compute_quality_gate')
  await fail('breaks')
  await agent.call('compute_quality_gate')
  const { structured } = await agent.call('get_quality_gate', { only: 'new' })
  const { data } = structured as { data: { conditions: { id: string; items?: string }[]; items: { id: string }[] } }
  expect(data.items.map(({ id }) => id)).toEqual(['TC-5'])
  expect(data.conditions.find(({ id }) => id === 'failing_tests')?.items).toBe('TC-5')
  expect(data.conditions.find(({ id }) => id === 'critical_coverage')?.items).toBeUndefined()
})

test('view=traceability shows each requirement with its tests', async () => {
  const called = await agent.call('get_quality_gate', { view: 'traceability' })
  expect(shown(called).text).toMatchInlineSnapshot(`
    "Traceability, 1 of 3 requirements verified; all shown.
    product: My product (id 1)
    requirements (id | title | state | tests | failing):
    REQ-2 | The cart shows its total | verified | TC-2 passed | -
    REQ-3 | An item can be removed | not_run | TC-4 failed | true
    REQ-4 | A coupon lowers the total | no_test | - | -
    totals: requirements=3, verified=1, not_run=1, no_test=1, failing=1, suspect=0, tests=3, unlinked_tests=1
    Next:
    - get_test_context {"product":"1","requirement":"REQ-3"} (what a test of the first open row has to show)"
  `)
})

test('traceability can be filtered, and pages lead on', async () => {
  const { text } = await agent.call('get_quality_gate', { view: 'traceability', filter: 'failing' })
  expect(text).toMatch(/^Requirements with failing tests/)
  expect(text).toContain('REQ-3')
  expect(text).not.toContain('REQ-2 |')
  const first = await agent.call('get_quality_gate', { view: 'traceability', limit: 1 })
  const { next_cursor: cursor } = first.structured as { next_cursor: string }
  const second = await agent.call('get_quality_gate', { view: 'traceability', limit: 1, cursor })
  expect(second.text).toContain('REQ-3')
})

test('rows of traceability that are cut to fit are on the next page', async () => {
  for (let count = 0; count < 12; count += 1) {
    const title = `${String(count)} ${'注文は確認される'.repeat(24)}`
    await shop.api.createRequirement({ product_id: shop.productId, title })
  }
  interface Page {
    data: { requirements: { rows?: string[][] } | { id: string }[] }
    truncated?: { shown: number; how_to_get_more?: string }
    next_cursor?: string
  }
  const read = async (args: object) =>
    (await agent.call('get_quality_gate', { view: 'traceability', ...args })).structured as unknown as Page
  const whole = await read({})
  expect(whole.next_cursor).toBeUndefined()
  const [, json = '{}'] = /^get_quality_gate (\{.*\})$/.exec(whole.truncated?.how_to_get_more ?? '') ?? []
  const args = JSON.parse(json) as { limit: number }
  expect(args.limit).toBe(whole.truncated?.shown)
  const ids: string[] = []
  for (let page: Page | undefined = await read(args); page !== undefined;) {
    const { requirements } = page.data
    const rows = Array.isArray(requirements)
      ? requirements.map(({ id }) => id)
      : requirements.rows?.map(([id = '']) => id)
    ids.push(...(rows ?? []))
    page = page.next_cursor === undefined ? undefined : await read({ ...args, cursor: page.next_cursor })
  }
  expect(ids).toEqual(Array.from({ length: 15 }, (_, index) => `REQ-${String(index + 2)}`))
})
