import { afterEach, beforeEach, expect, test } from 'vitest'
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

test('more than ten issues in one call are refused with the way to do it, and nothing is written', async () => {
  await using agent = await connect(shop.api)
  const { isError, text } = await resolve(agent, 1, 11)
  expect(isError).toBe(true)
  expect(text).toMatchInlineSnapshot(`
    "error: changing more than 10 with set_error_issue_status needs a person's confirmation; nothing was written (confirmation_required, not retryable)
    next: ask the user which of them to change; dry_run shows what would change"
  `)
  expect(await statusOf('APP-11')).toBe('unresolved')
  expect((await resolve(agent, 1, 11, { dry_run: true })).isError).toBe(false)
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
