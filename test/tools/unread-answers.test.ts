import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openShopWithGaps, type GapShop } from './gap-shop.ts'
import { reshaped } from '../upstream/reshaped.ts'
import { connectElsewhere, losing, losingAll, losses } from './unread-answers.ts'

let shop: GapShop
beforeAll(async () => {
  shop = await openShopWithGaps()
})
afterAll(() => shop.close())

interface Done {
  answer: string
  data: { rows: { id: string; outcome: string }[] }
  next_actions?: { tool: string; args: Record<string, unknown> }[]
}

describe.each(losses)('a write that is done and whose answer is lost (%s)', (loss) => {
  test('changes the status of issues, as a read in the same call shows', async () => {
    await reopen()
    await using agent = await connectElsewhere(shop, (send) => losing(send, loss))
    const one = await agent.call('set_error_issue_status', { issues: ['APP-1'], status: 'ignored', reason: 'r' })
    expect(one.structured).toMatchObject({
      answer: expect.stringContaining("1 changed to ignored. The deployment's reply cannot be read") as string,
      data: { rows: [{ id: 'APP-1', outcome: 'changed', from: 'unresolved' }] },
    })
    const both = await agent.call('set_error_issue_status', {
      issues: ['APP-1', 'APP-2'],
      status: 'resolved',
      reason: 'r',
    })
    const { data, next_actions: next = [] } = both.structured as Done
    expect(data.rows.map(({ outcome }) => outcome)).toEqual(['changed', 'changed'])
    expect(next.map(({ args }) => args['status'])).toEqual(['ignored', 'unresolved'])
  })
})

describe('a write whose outcome no read of the call can tell', () => {
  test('is unknown for issues, with the call that checks', async () => {
    const change = { status: 'resolved', reason: 'r' }
    await reopen()
    await using one = await connectElsewhere(shop, (send) => losingAll(send))
    const { text } = await one.call('set_error_issue_status', { issues: ['APP-1'], ...change })
    expect(text).toMatch(
      /^error: the outcome is unknown: POST .* returned 50\d.*; check before you repeat it \(outcome_unk/,
    )
    expect(text).toContain('next: get_error_issue {"issue":"APP-1"}')
    await reopen()
    await using both = await connectElsewhere(shop, (send) => losingAll(send))
    const issues = ['APP-1', 'APP-2']
    const { structured } = await both.call('set_error_issue_status', { issues, ...change })
    expect(structured).toMatchObject({
      answer: '2 unknown. Unknown: may or may not have been changed; check before you repeat it.',
      next_actions: [{ args: { issues, status: 'resolved', reason: 'A check.', dry_run: true } }],
    })
  })
})

describe('where the deployment lacks an endpoint', () => {
  test.each(['noRoute', 'noPage'])('statuses are set by the other one (%s)', async (style) => {
    const change = { issues: ['APP-1', 'APP-2'], reason: 'r' }
    await reopen()
    await using bulkless = await connectElsewhere(shop, (send) => reshaped(send, `${style}:bulkSetIssueStatus`))
    const each = await bulkless.call('set_error_issue_status', { ...change, status: 'ignored' })
    expect(each.text).toContain('2 changed to ignored')
    expect(bulkless.writes()).toHaveLength(2)
    await using bulkOnly = await connectElsewhere(shop, (send) => reshaped(send, `${style}:setIssueStatus`))
    const one = await bulkOnly.call('set_error_issue_status', { issues: ['APP-1'], reason: 'r', status: 'resolved' })
    expect(one.text).toContain('1 changed to resolved')
    await using neither = await connectElsewhere(shop, (send) =>
      reshaped(send, `${style}:setIssueStatus`, `${style}:bulkSetIssueStatus`),
    )
    const { text } = await neither.call('set_error_issue_status', { ...change, status: 'unresolved' })
    expect(text).toContain('this deployment does not offer changing the status of issues (feature_disabled')
    expect(text).toContain('reading issues still works')
    expect(neither.writes()).toEqual([])
  })
})

/** Both issues. */
async function reopen() {
  const { issues } = await shop.api.listIssues({ product_id: shop.productId })
  const issue_ids = issues.map(({ id }) => id)
  await shop.api.bulkSetIssueStatus({ product_id: shop.productId, issue_ids, status: 'unresolved' })
}
