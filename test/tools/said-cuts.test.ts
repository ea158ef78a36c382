import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { unclaimedCrash } from './gap-shop.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'

const FAILURES = 11
const CRASHES = 7

let shop: QualityShop
let agent: Connected
beforeAll(async () => {
  shop = await openQualityShop()
  agent = await connect(shop.api, { options: { toolsets: ['all'] } })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

async function cutsOf(tool: string, args: Record<string, unknown>): Promise<string[]> {
  const { structured, text, isError } = await agent.call(tool, args)
  if (isError) throw new Error(text)
  return (structured as { truncated?: { cut?: string[] } }).truncated?.cut ?? []
}

/** Runs of the test that REQ-3 has, each of them red with a message of its own. */
async function fail(times: number): Promise<void> {
  const cart = { file_path: 'test/cart.test.ts', suite_path: ['cart'], name: 'removes an item [REQ-3]' }
  for (let run = 0; run < times; run += 1)
    await shop.api.ingestTests({
      product_id: shop.productId,
      draft: { cases: [{ ...cart, status: 'RESULT_STATUS_FAILED', message: `message ${String(run)}` }] },
      run: { run_key: `red ${String(run)}`, started_at: `2026-11-21T11:${String(31 + run)}:00.000Z` },
    })
}

test('failures of a test that are not shown are counted', async () => {
  await fail(FAILURES)
  expect(await cutsOf('get_test', { test: 'TC-4' })).toContainEqual('earlier_failures: 2 of 9')
  expect(await cutsOf('get_test', { test: 'TC-4', detail: 'full' })).toEqual([])
  const before = { requirement: 'REQ-3' }
  const all = String(FAILURES + 1)
  expect(await cutsOf('get_test_context', before)).toContainEqual(`past_failures: 3 of ${all}`)
  expect(await cutsOf('get_test_context', { ...before, detail: 'full' })).toContainEqual(`past_failures: 10 of ${all}`)
})

test('issues, suggested cases and cases of a linked suite beyond the limits are counted', async () => {
  const { requirement } = await shop.api.createRequirement({
    product_id: shop.productId,
    title: 'Many criteria',
    code_refs: [{ path: 'src/wide/cart.ts' }],
    acceptance_criteria: Array.from({ length: 25 }, (_, index) => ({ text: `Colour ${String(index)} is shown.` })),
  })
  for (let crash = 0; crash < CRASHES; crash += 1) {
    const event = unclaimedCrash('src/wide/cart.ts', `item ${'abcdefg'[crash] ?? ''} is undefined`)
    await shop.crash(crash + 1, { ...event, fingerprint: [String(crash)] })
  }
  const asked = { requirement: requirement.key ?? '', detail: 'full' }
  const cuts = await cutsOf('get_test_context', asked)
  expect(cuts).toContainEqual(`related_issues: 5 of ${String(CRASHES)}`)
  expect(cuts).toContainEqual(`suggested.cases: 20 of ${String(25 + 5)}`)
})

test('a requirement with more tests than are read with their results says for how many', async () => {
  const cases = Array.from({ length: 205 }, (_, index) => ({
    file_path: 'test/many.test.ts',
    suite_path: ['many'],
    name: `n${String(index)} [REQ-4]`,
    status: 'RESULT_STATUS_PASSED' as const,
  }))
  await shop.api.ingestTests({ product_id: shop.productId, draft: { cases }, run: { run_key: 'many' } })
  const cuts = await cutsOf('get_requirement', { requirement: 'REQ-4', detail: 'full' })
  expect(cuts).toContainEqual('last results of tests: 200 of 205')
  const suite = (await shop.api.listTests({ product_id: shop.productId, q: 'many' })).tests.find(
    ({ kind }) => kind === 'TEST_KIND_SUITE',
  )
  await shop.api.linkTest({ test_id: suite?.id ?? '', requirement_id: shop.ids['REQ-2'] ?? '' })
  const context = await agent.call('get_test_context', { requirement: 'REQ-2', detail: 'full' })
  expect(context.text).toContain('206 linked tests')
  expect(context.text).toMatch(/tests: \d+ of 206/)
})

test('paths of a component that are not shown are counted', async () => {
  const globs = ['a/**', 'b/**', 'c/**', 'd/**', 'e/**']
  await shop.api.createComponent({ product_id: shop.productId, name: 'Wide', path_globs: globs })
  const { text } = await agent.call('get_workspace_context', { include: ['components'] })
  expect(text).toContain('a/** b/** c/** and 2 more')
})
