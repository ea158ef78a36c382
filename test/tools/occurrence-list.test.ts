import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { connect, type Connected } from '../mcp/clients.ts'
import { origin } from '../app.ts'
import { openShop, type Shop } from './shop.ts'

const COUNT = 32

let shop: Shop
let agent: Connected
beforeAll(async () => {
  shop = await openShop()
  for (let nr = 0; nr < COUNT; nr += 1) {
    await shop.crash(nr, {
      environment: nr % 8 === 0 ? 'staging' : 'production',
      tags: { browser: nr % 2 === 0 ? 'Safari' : 'Chrome', region: 'eu' },
      contexts: { browser: { name: 'Safari', version: '17.4' }, os: { name: 'iOS' }, runtime: null },
      breadcrumbs: [
        { category: 'import', message: 'read', data: { amount: nr === 20 ? '1.200,50' : `${String(nr)}.50` } },
      ],
    })
  }
  agent = await connect(shop.api)
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

interface Listed {
  answer: string
  data: { events: { id: string }[] | { columns: string[]; rows: string[][] } }
  next_cursor?: string
}

async function list(args: Record<string, unknown>, reader = agent) {
  const { structured, text, isError } = await reader.call('get_error_issue', { issue: 'APP-1', ...args })
  if (isError) throw new Error(text)
  const found = structured as Listed
  const { events } = found.data
  return { ...found, text, ids: Array.isArray(events) ? events.map(({ id }) => id) : events.rows.map(([id]) => id) }
}

test('occurrences are a list with a total, of which every row can be reached', async () => {
  const first = await list({ include: ['events'] })
  expect(first.answer).toContain(`last at 2026-11-21T12:00Z. 15 of ${String(COUNT)} occurrences shown.`)
  const ids = [...first.ids]
  for (let cursor = first.next_cursor; cursor !== undefined;) {
    const page = await list({ cursor })
    expect(page.answer).toMatch(/^APP-1: \d+ of 32 occurrences shown\.$/)
    ids.push(...page.ids)
    cursor = page.next_cursor
  }
  expect(new Set(ids).size).toBe(COUNT)
  expect(ids).toHaveLength(COUNT)
})

test('a limit above the usual one is met in one call', async () => {
  const { ids } = await list({ limit: COUNT })
  expect(ids).toHaveLength(COUNT)
})

test('a part of the occurrences comes alone, with what tells them apart, and leads to no call for each', async () => {
  const staging = await list({ environment: 'staging' })
  expect(staging.answer).toBe('APP-1: 4 occurrences in this environment, all shown.')
  const found = await list({ match: '1.200,50' })
  expect(found.answer).toBe('APP-1: 1 occurrence with this text, all shown.')
  const { text: none } = await agent.call('get_error_issue', { issue: 'APP-1', match: 'nowhere' })
  expect(none).toMatch(/^APP-1: no occurrence with this text\.$/m)
  const page = await list({ release: 'shop@1.4.0', environment: 'production', limit: 5 })
  expect(page.answer).toBe('APP-1: 5 of 28 occurrences in this environment, of this release shown.')
  expect(page.text).toContain('| events (id | at | environment | release | tags | last_breadcrumb):')
  expect(page.text).toContain('| browser=Chrome | import: read amount=1.50')
  expect(page.text).not.toContain('region=eu')
  for (const { text } of [staging, found, page]) expect(text).not.toMatch(/"event":|stack|culprit|corroboration/)
})

test('an occurrence that is not there is named, with the call that lists those of the issue by its key', async () => {
  const { text } = await agent.call('get_error_issue', { issue: 'APP-1', event: '01a2ffff' })
  expect(text).toContain('you sent: event = "01a2ffff"')
  expect(text).toContain('next: get_error_issue {"issue":"APP-1","include":["events"]}')
})

test('a page of occurrences has names that only events gave, inside the block', async () => {
  const exception = { values: [{ type: 'RangeError', value: 'too long' }] }
  await shop.crash(40, { exception, release: 'sent@9', environment: 'pull-request-7' })
  const { text, structured } = await agent.call('get_error_issue', { issue: 'APP-2', match: 'too long' })
  const [facts, block] = text.split('<untrusted-')
  expect(facts).not.toMatch(/sent@9|pull-request-7/)
  expect(block).toContain('| events (id | at | environment | release):')
  expect(block).toMatch(/pull-request-7 \| sent@9$/m)
  expect(structured).toMatchObject({ untrusted: { events: [{ environment: 'pull-request-7', release: 'sent@9' }] } })
})

test('the issue itself says on which days and on what it occurs', async () => {
  const { text } = await agent.call('get_error_issue', { issue: 'APP-1', match: '', cursor: null })
  expect(text).toContain('timeline: 2026-11-21 32')
  expect(text).toContain('| runs_on: Safari 17.4, iOS')
})

test('a deployment that does not search occurrences is not believed', async () => {
  const api = createApi({
    baseUrl: origin,
    token: shop.token,
    send(request) {
      const url = new URL(request.url)
      url.searchParams.delete('q')
      return shop.service.direct({ ...request, url: url.href })
    },
  })
  await using deaf = await connect(api)
  const found = await list({ match: 'safari', limit: 10 }, deaf)
  expect(found.answer).toBe('APP-1: This deployment does not search: of the 10 rows of this page, 5 show the text.')
  expect(found.ids).toHaveLength(5)
})
