import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { origin } from '../app.ts'
import { connect, type Called } from '../mcp/clients.ts'
import { reshaped } from '../upstream/reshaped.ts'
import { checkoutCrash, openShop, type Shop } from './shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
  await shop.crash(9, checkoutCrash('ann'))
  await shop.crash(5, { ...checkoutCrash('bob'), environment: 'qa-7', release: 'shop@9' })
  const { issues } = await shop.api.listIssues({ product_id: shop.productId })
  await shop.api.setIssueStatus({ id: issues[0]?.id ?? '', status: 'resolved', fixed_in: { release: 'shop@1.4.0' } })
})
afterAll(() => shop.close())

/** An answer of a deployment that leaves the members out. */
async function without(members: readonly string[], tool: string, args: Record<string, unknown>): Promise<Called> {
  const send = reshaped(shop.service.direct, ...members.map((member) => `without:${member}`))
  await using agent = await connect(createApi({ send, baseUrl: origin, token: shop.token, retries: 0 }))
  return await agent.call(tool, args)
}

/** Each with what its block shows of the names. */
const calls: [tool: string, args: Record<string, unknown>, shown: RegExp][] = [
  ['get_workspace_context', { include: ['environments', 'releases'] }, /names_not_vouched_for[\s\S]*production/],
  ['find_error_issues', { status: 'any' }, /TypeError/],
  ['get_error_issue', { issue: 'APP-1', include: ['stats'] }, /names_not_vouched_for[\s\S]*shop@1\.4\.0/],
  ['get_fix_context', { issue: 'APP-1' }, /names_not_vouched_for[\s\S]*production/],
]

test.each(calls)('%s does not say who gave a name where the deployment does not', async (tool, args, shown) => {
  const { text, isError } = await without(['known', 'environment_known', 'release_known'], tool, args)
  expect(isError).toBe(false)
  const facts = text.replaceAll(/<untrusted[\s\S]*?<\/untrusted[^>]*>/g, '')
  expect(text).toContain('not vouched for here')
  expect(facts).not.toMatch(/shop@|qa-7/)
  expect(text).not.toMatch(/only.by.events|only events|\bother\b/)
  expect(text).toMatch(shown)
})

test('a name that the deployment says no member gave is still called so', async () => {
  const { text } = await without([], 'get_workspace_context', { include: ['environments', 'releases'] })
  expect(text).toContain('(named only by events or tests)')
  expect(text).toMatch(/named_only_by_events_or_tests[\s\S]*qa-7/)
  expect(text).not.toContain('vouched')
})

test('frames are called neither in app nor of a library where the deployment does not say which', async () => {
  const { text: plain } = await without([], 'get_error_issue', { issue: 'APP-1', include: ['variation'] })
  expect(plain).toContain('[in app]')
  expect(plain).toContain('in-app stack')
  const { text } = await without(['in_app'], 'get_error_issue', { issue: 'APP-1', include: ['variation'] })
  expect(text).not.toMatch(/in.app|library/)
  const { text: fix } = await without(['in_app'], 'get_fix_context', { issue: 'APP-1' })
  expect(fix).not.toMatch(/in.app|library/)
})
