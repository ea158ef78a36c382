import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ConfirmOptions } from '../../../src/mcp/confirm/options.ts'
import { createRecentChanges } from '../../../src/mcp/call/recent-changes.ts'
import { openShop, type Shop } from '../../tools/shop.ts'
import { connect, eras, type Connected } from '../clients.ts'
import { connectHttp, serveMcp } from '../http/http-server.ts'

let shop: Shop
beforeEach(async () => {
  shop = await openShop()
  for (let crash = 0; crash < 12; crash += 1) {
    const type = `Error${String.fromCodePoint(65 + crash)}`
    await shop.crash(crash, { exception: { values: [{ type, value: 'x' }] } })
  }
})
afterEach(() => shop.close())

const confirm: ConfirmOptions = {
  mode: 'ask',
  secret: () => 'a secret of the operator, long enough',
  now: () => Date.parse('2026-11-22T12:00:00Z'),
}

async function statusOf(key: string): Promise<string | undefined> {
  const { issues } = await shop.api.listIssues({ product_id: shop.productId, short_id: key })
  return issues[0]?.status
}

const resolve = (by: Connected, from: number, to: number, more = {}) =>
  by.call('set_error_issue_status', {
    issues: Array.from({ length: to - from + 1 }, (_, index) => `APP-${String(from + index)}`),
    status: 'resolved',
    reason: 'r',
    ...more,
  })

test('more than ten issues in one call are shown first, and a handle lets them through once', async () => {
  await using agent = await connect(shop.api, { confirm })
  const first = await resolve(agent, 1, 11)
  expect(first.isError).toBe(true)
  expect(first.text.replaceAll(/[\w-]{100,}/g, 'TOKEN').replace(/\(user [^)]+\)/, '(user ID)')).toMatchInlineSnapshot(`
    "error: changing more than 10 with set_error_issue_status needs a person's confirmation; nothing was written (confirmation_required, not retryable)
    next: show the user the preview; only when they agree, repeat this call with the confirmation below
    Resolve 11 error issues
    product: id 1
    issues: APP-1, APP-2, APP-3, APP-4, APP-5, APP-6, APP-7, APP-8, APP-9, APP-10, APP-11
    status now: 11 unresolved
    status then: resolved
    recorded as: Owner (user ID)
    undo: the same tool sets them back: 11 unresolved
    reason that the agent gives: "r"
    can be confirmed until: 2026-11-22T12:05Z
    confirmation: TOKEN
    terminal: tracegate confirm CODE, which is the confirmation"
  `)
  expect(await statusOf('APP-11')).toBe('unresolved')
  expect((await resolve(agent, 1, 11, { dry_run: true })).isError).toBe(false)
  const confirmation = /^confirmation: (.+)$/m.exec(first.text)?.[1]
  expect((await resolve(agent, 1, 12, { confirmation })).text).toContain('are not the ones that were shown')
  const second = await resolve(agent, 1, 11, { confirmation })
  expect(second.text).toContain('11 changed to resolved.')
  expect(await statusOf('APP-11')).toBe('resolved')
  expect((await resolve(agent, 1, 11, { confirmation })).text).toContain('was used before')
})

test('a form lets a wide change through, and what was confirmed does not count for later calls', async () => {
  const asked: string[] = []
  await using agent = await connect(shop.api, {
    confirm,
    user({ message }) {
      asked.push(message)
      return { action: 'accept', content: { decision: 'confirm' } }
    },
  })
  expect((await resolve(agent, 1, 11)).text).toContain('11 changed to resolved.')
  expect((await resolve(agent, 1, 10, { status: 'unresolved' })).isError).toBe(false)
  expect(asked).toHaveLength(1)
  expect(asked[0]).not.toContain('ErrorA')
})

test('an issue that changes while the person reads is not overwritten', async () => {
  await using agent = await connect(shop.api, {
    confirm,
    async user() {
      const { issues } = await shop.api.listIssues({ product_id: shop.productId, short_id: 'APP-3' })
      await shop.api.setIssueStatus({ id: issues[0]?.id ?? '', status: 'ignored' })
      return { action: 'accept', content: { decision: 'confirm' } }
    },
  })
  const { text } = await resolve(agent, 1, 11)
  expect(text).toContain('status now was 11 unresolved, is 10 unresolved, 1 ignored')
  expect(await statusOf('APP-1')).toBe('unresolved')
})

test('many small calls are a wide change too, until five minutes have passed', async () => {
  let at = Date.now()
  const recent = createRecentChanges(() => at)
  await using one = await connect(shop.api, { changing: { caller: 'one', recent } })
  await using other = await connect(shop.api, { changing: { caller: 'other', recent } })
  expect((await resolve(one, 1, 4)).isError).toBe(false)
  expect((await resolve(one, 5, 9)).isError).toBe(false)
  expect((await resolve(one, 10, 11)).text).toContain('9 were changed in the last five minutes')
  expect(await statusOf('APP-10')).toBe('unresolved')
  // The same again, its undo, a tenth and the changes of others are no further ones.
  expect((await resolve(one, 1, 3, { status: 'unresolved' })).isError).toBe(false)
  expect((await resolve(one, 10, 10)).isError).toBe(false)
  expect((await resolve(other, 11, 11)).isError).toBe(false)
  at += 5 * 60_000
  expect((await resolve(one, 11, 12)).isError).toBe(false)
})

test.each(eras)('over HTTP every caller has its own count, whatever connection it uses (%s)', async (era) => {
  await using served = await serveMcp(shop)
  const connectAgain = () => connectHttp(`${served.base}/mcp`, shop.token, era)
  await using first = await connectAgain()
  await using second = await connectAgain()
  expect((await resolve(first, 1, 6)).isError).toBe(false)
  expect((await resolve(second, 7, 12)).text).toContain('6 were changed in the last five minutes')
})
