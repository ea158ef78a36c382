import { expect, test } from 'vitest'
import { startApp } from '../app.ts'
import { connect } from '../mcp/clients.ts'
import { failedRuns } from '../service/quality/reports/failed-runs.ts'

interface Sent {
  answer: string
  data: { totals: object; failing_tests: { status: string; name: string }[] }
}

test.each(Object.entries(failedRuns))('the first line about %s says that it failed', async (_, { good, failed }) => {
  await using app = await startApp()
  await app.request('POST', `/v1/products/${app.productId}/requirements`, { title: 'a rule' })
  await using agent = await connect(app.api)
  const send = async (report: string) => (await agent.call('ingest_test_report', { report })).structured as Sent
  const cases = ['works [REQ-1]', 'other']
  expect((await send(good(cases))).answer).toBe('2 tests, 2 passed; verified requirements 0 -> 1.')
  const { answer, data } = await send(failed(cases))
  expect(answer).toBe(
    '3 tests, 1 error, 2 blocked; verified requirements 1 -> 0; not_run 1. The run failed outside of its tests (1 error), so that the passes in that place (2 blocked tests) prove nothing.',
  )
  expect(data.totals).toEqual({ tests: 3, passed: 0, failed: 0, errors: 1, blocked: 2 })
  expect(data.failing_tests).toMatchObject([{ status: 'error', name: 'run error' }])
})

test('a failure at the end of a report of many tests is among the failing tests', async () => {
  await using app = await startApp()
  await using agent = await connect(app.api)
  const report = `1..701\n${Array.from({ length: 700 }, (_, index) => `ok ${String(index + 1)} - t${String(index)}\n`).join('')}not ok 701 - last\n`
  const sent = (await agent.call('ingest_test_report', { report })).structured as Sent
  expect(sent.answer).toContain('701 tests, 700 passed, 1 failed;')
  expect(sent.data.failing_tests).toMatchObject([{ status: 'failed' }])
})
