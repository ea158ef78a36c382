import { expect, test } from 'vitest'
import { startApp } from '../app.ts'
import { connect } from '../mcp/clients.ts'

const day = 24 * 60 * 60_000

test('an issue that fires on after a fix that never came says so, in the list and in detail', async () => {
  const clock = { now: Date.UTC(2026, 10, 1, 12) }
  let ids = 0
  await using app = await startApp({
    platform: { now: () => clock.now, newId: () => `00000000-0000-7000-8000-${String((ids += 1)).padStart(12, '0')}` },
  })
  await using agent = await connect(app.api)
  const crash = () => app.ingest({ timestamp: clock.now / 1000, environment: 'production', release: 'shop@1.4.0' })
  await crash()
  const { issues } = await app.api.listIssues({ product_id: app.productId })
  const issue = issues[0]?.short_id
  await agent.call('set_error_issue_status', {
    issues: [issue],
    status: 'resolved',
    fixed_in: 'next',
    reason: 'merged',
  })
  clock.now += 8 * day
  for (let event = 0; event < 3; event += 1) await crash()
  const words = 'is resolved in the next release, but still firing: 3 events since 2026-11-01T12:00Z: '
  expect((await agent.call('get_error_issue', { issue })).text).toContain(words)
  const { structured } = await agent.call('find_error_issues', { status: 'resolved' })
  expect(structured).toMatchObject({ data: { rows: [{ id: issue, state: expect.stringContaining('still_firing') }] } })
})
