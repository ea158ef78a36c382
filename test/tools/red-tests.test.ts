import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Called, type Connected } from '../mcp/clients.ts'
import { openShopWithGaps, vitestReport, type GapShop, type ReportedTest } from './gap-shop.ts'

let shop: GapShop
let agent: Connected
beforeAll(async () => {
  shop = await openShopWithGaps()
  agent = await connect(shop.api, { options: { toolsets: ['default', 'tests'] } })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

const file = 'test/mail.test.ts'
const report = (...tests: Omit<ReportedTest, 'file'>[]) =>
  agent.call('ingest_test_report', {
    report: vitestReport(
      tests.map((one) => ({ file, ...one })),
      '',
    ),
  })
const dataOf = ({ structured }: Called) => (structured as { data: Record<string, unknown> }).data
const gapOf = async (id: string) =>
  (dataOf(await agent.call('find_coverage_gaps'))['rows'] as { id: string; do: string; why: string }[]).find(
    (row) => row.id === id,
  )

test('a red test that names an open issue leads to its code, until the issue is resolved', async () => {
  const red = { name: 'is sent without an address [REQ-1] [APP-1]', status: 'failed' } as const
  const sent = await report(red)
  expect(dataOf(sent)['failing_tests']).toMatchObject([{ requirements: 'REQ-1', issue: 'APP-1' }])
  const fix = '- get_fix_context {"issue":"APP-1"}'
  expect(sent.text).toContain(`${fix} (the code that a red test asks to fix)`)
  const gaps = await agent.call('find_coverage_gaps')
  expect(await gapOf('REQ-1')).toMatchObject({
    do: 'fix_code',
    why: expect.stringContaining('red for APP-1: fix the code') as string,
  })
  expect(gaps.text).toContain(fix)
  const context = await agent.call('get_test_context', { requirement: 'REQ-1' })
  expect(context.text).toContain(fix)
  expect(context.text).toContain('its failing tests are right: they are red because of APP-1; fix the code')

  const { issues } = await shop.api.listIssues({ product_id: shop.productId })
  const id = issues.find((issue) => issue.short_id === 'APP-1')?.id ?? ''
  await shop.api.setIssueStatus({ id, status: 'resolved' })
  expect(await gapOf('REQ-1')).toMatchObject({
    do: 'run_test',
    why: expect.stringContaining('red for APP-1, which is resolved: run it again, or reopen') as string,
  })
  await shop.api.setIssueStatus({ id, status: 'unresolved' })

  // A test that no longer names it is an ordinary red test.
  await report({ name: 'is sent without an address [REQ-1]', status: 'failed' })
  expect(await gapOf('REQ-1')).toMatchObject({ do: 'fix_test' })
})

test('record_tests says which issue a test reproduces, and a report without a key leaves it', async () => {
  const key = await shop.require('A mail has a sender')
  const tests = (issue: string) => [{ title: 'has a sender', file, requirement_ids: [key], issue }]
  const missing = await agent.call('record_tests', { tests: tests('APP-99') })
  expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('no such issue') as string })
  expect(missing.text).toMatch(/^you sent: tests\[\]\.issue = "?\S+-\d+"?$/m)
  expect(missing.text).toContain('next: find_error_issues {')
  await agent.call('record_tests', { tests: tests('APP-1') })
  await report({ name: 'has a sender', status: 'failed' })
  expect(await gapOf(key)).toMatchObject({ do: 'fix_code' })
  const again = await agent.call('record_tests', { tests: tests('APP-1') })
  expect(dataOf(again)['rows']).toMatchObject([{ outcome: 'already' }])
})

test('failing tests beyond those listed are counted, and can be read on', async () => {
  const red = Array.from({ length: 31 }, (_, index) => ({ name: `rule ${String(index)}`, status: 'failed' as const }))
  const { structured } = await report(...red, { name: 'passes' })
  expect(structured).toMatchObject({
    truncated: {
      cut: expect.arrayContaining([expect.stringMatching(/^failing_tests: \d+ of 31$/)]) as string[],
      how_to_get_more: expect.stringContaining('list_tests with status failed') as string,
    },
  })
  const listed = await agent.call('list_tests', { status: 'failed', limit: 1 })
  expect(listed.text).toMatch(/^3[1-9] tests, by key; /)
  expect((await agent.call('list_tests', { status: 'flaky' })).text).toMatch(/^No test flaky in its newest run\./)
})
