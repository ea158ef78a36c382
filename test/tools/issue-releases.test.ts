import { expect, test } from 'vitest'
import { startApp } from '../app.ts'
import { connect } from '../mcp/clients.ts'

const hour = 60 * 60_000

test('an issue that came back names the release that brought it back apart from its first one', async () => {
  const clock = { now: Date.UTC(2026, 10, 1, 12) }
  await using app = await startApp({ platform: { now: () => clock.now } })
  await using agent = await connect(app.api, { options: { toolsets: ['default'] } })
  const release = async (version: string) => {
    clock.now += hour
    await app.api.upsertRelease({ product_id: app.productId, version, environment: 'production' })
  }
  const crash = (version: string) =>
    app.ingest({ timestamp: clock.now / 1000, environment: 'production', release: version })
  await release('shop@1.0.0')
  await crash('shop@1.0.0')
  const { issues } = await app.api.listIssues({ product_id: app.productId })
  const issue = issues[0]?.short_id ?? ''
  const before = await agent.call('get_fix_context', { issue })
  expect(before.text).toContain('releases: first=shop@1.0.0, last=shop@1.0.0')
  await release('shop@1.1.0')
  const fixed = { issues: [issue], status: 'resolved', fixed_in: 'shop@1.1.0', reason: 'merged' }
  await agent.call('set_error_issue_status', fixed)
  await release('shop@1.2.0')
  await crash('shop@1.2.0')
  const after = await agent.call('get_fix_context', { issue })
  expect(after.text).toContain('releases: came_back_in=shop@1.2.0, last=shop@1.2.0, last_good=shop@1.1.0')
  const { text } = await agent.call('get_error_issue', { issue })
  expect(text).toContain('releases: first=shop@1.0.0, last=shop@1.2.0')

  // The answer begins with the key; the structured result has it as a member too.
  expect(after.text).not.toContain('issue: id=')
  expect(after.structured).toHaveProperty('data.issue.id', issue)
  expect(after.text).toContain(`afterwards: Put [${issue}] in the name of the regression test`)
  await using reader = await connect(app.api, { options: { readOnly: true } })
  const { structured } = await reader.call('get_fix_context', { issue })
  expect(structured).toHaveProperty(
    'data.afterwards',
    `Put [${issue}] in the name of the regression test, so that reports link it.`,
  )
})

test('an issue without a key is named by its id', async () => {
  await using app = await startApp()
  await app.ingest({})
  const { issues } = await app.api.listIssues({ product_id: app.productId })
  const id = issues[0]?.id ?? ''
  const getIssue: typeof app.api.getIssue = async (request, options) => {
    const read = await app.api.getIssue(request, options)
    return { ...read, issue: { ...read.issue, short_id: undefined } }
  }
  await using agent = await connect({ ...app.api, getIssue })
  expect((await agent.call('get_error_issue', { issue: id })).text).toContain(`issue: id=${id}, status=unresolved`)
})
