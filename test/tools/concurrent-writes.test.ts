import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import type { Send } from '../../src/contract/base/wire.ts'
import { origin } from '../app.ts'
import { connect } from '../mcp/clients.ts'
import { openShopWithGaps, vitestReport, type GapShop } from './gap-shop.ts'

let shop: GapShop
beforeEach(async () => {
  shop = await openShopWithGaps()
})
afterEach(() => shop.close())

/**
 * The service, which answers the requests of a group only when all of the group have come; what is sent one after the
 * other would never end.
 */
function meeting(...groups: readonly string[][]): { send: Send; most: () => number; sent: string[] } {
  const sent: string[] = []
  const waiting = groups.map((requests) => ({ left: [...requests], ...Promise.withResolvers<undefined>() }))
  const inFlight = new Map<string, number>()
  let most = 0
  async function send(request: Parameters<Send>[0]) {
    const name = `${request.method} ${new URL(request.url).pathname.replace(/^.*\//, '')}`
    sent.push(name)
    const group = waiting.find(({ left }) => left.includes(name))
    if (group !== undefined) {
      group.left.splice(group.left.indexOf(name), 1)
      if (group.left.length === 0) group.resolve(undefined)
      await group.promise
    }
    const { pathname } = new URL(request.url)
    inFlight.set(pathname, (inFlight.get(pathname) ?? 0) + 1)
    if (pathname.endsWith('/links')) most = Math.max(most, inFlight.get(pathname) ?? 0)
    const reply = await shop.service.direct(request)
    inFlight.set(pathname, (inFlight.get(pathname) ?? 0) - 1)
    return reply
  }
  return { send, most: () => most, sent }
}

test('record_tests reads all it needs and makes different tests concurrently, the links of one test in order', async () => {
  const { send, most, sent } = meeting(
    ['GET requirements', 'GET requirements', 'GET issues', 'GET tests', 'GET tests'],
    ['POST tests', 'POST tests'],
    ['POST links', 'POST links'],
  )
  await using agent = await connect(createApi({ send, baseUrl: origin, token: shop.token }))
  const tests = ['first', 'second'].map((title) => ({
    title,
    file: `test/${title}.test.ts`,
    issue: 'APP-1',
    requirement_ids: ['REQ-1', 'REQ-2'],
  }))
  const { structured } = await agent.call('record_tests', { tests })
  expect(structured).toMatchObject({
    answer: '2 tests created, 4 links made.',
    data: {
      rows: [
        { id: 'TC-1', title: 'first' },
        { id: 'TC-2', title: 'second' },
      ],
    },
  })
  expect(most()).toBe(1)
  expect(sent).toHaveLength(17)
})

test('ingest_test_report reads what it needs before the report concurrently', async () => {
  const { send, sent } = meeting(['GET branches', 'GET requirements'])
  await using agent = await connect(createApi({ send, baseUrl: origin, token: shop.token }))
  const report = vitestReport([{ file: 'test/a.test.ts', name: 'one [REQ-1]' }])
  const { text } = await agent.call('ingest_test_report', { report, branch: 'none' })
  expect(text).toContain('quality branch not found')
  expect(sent.filter((request) => request.startsWith('POST'))).toEqual([])
})
