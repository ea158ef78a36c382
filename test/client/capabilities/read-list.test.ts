import { afterAll, beforeAll, expect, test } from 'vitest'
import { Capabilities } from '../../../src/client/capabilities/capabilities.ts'
import type { Send, WireReply, WireRequest } from '../../../src/contract/base/wire.ts'
import { createApi } from '../../../src/client/client.ts'
import { origin, startApp, type App } from '../../app.ts'
import { reshaped } from '../../upstream/reshaped.ts'
import { watched, type Watched } from '../../upstream/watched.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
  const product = { product_id: app.productId }
  for (const title of ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven']) {
    await app.api.createRequirement({ ...product, title, priority: title === 'Six' ? 'PRIORITY_HIGH' : 'PRIORITY_LOW' })
  }
  for (const type of ['FirstError', 'SecondError', 'ThirdError', 'FourthError', 'FifthError', 'FirstError']) {
    await app.ingest({
      environment: type === 'FirstError' ? 'staging' : 'production',
      exception: { values: [{ type }] },
    })
  }
})
afterAll(() => app.close())

/** A client that has learned nothing of a deployment yet. */
function deployment(...names: string[]) {
  const seen = watched(reshaped(app.service.direct, ...names))
  return {
    api: createApi({ send: seen, baseUrl: origin, token: app.token, retries: 0 }),
    seen,
    of: { product_id: app.productId },
  }
}

function queries({ log }: Watched): string[] {
  return log.map(
    ({ query, status }) =>
      `${query.replaceAll(/[0-9a-f-]{36}/g, 'ID').replaceAll('pagination.', '')} ${String(status)}`,
  )
}

const titles = (page: { requirements: { title?: unknown }[] }) => page.requirements.map(({ title }) => title)

test('a deployment that knows everything is asked once, and its filters are believed', async () => {
  const { api, seen, of } = deployment()
  const page = await api.listRequirements({ ...of, key: ['REQ-6'], page_size: 2 })
  expect(titles(page)).toEqual(['Six'])
  expect(page.reading).toEqual({ filteredHere: [], notApplied: [], isComplete: true })
  expect(queries(seen)).toEqual(['key=REQ-6&page_size=2 200'])
})

test('a filter that rows contradict is checked once, and applied here from then on', async () => {
  const { api, seen, of } = deployment('ignores:key')
  const page = await api.listRequirements({ ...of, key: ['REQ-6'], page_size: 2 })
  expect(titles(page)).toEqual(['Six'])
  expect(page.reading).toEqual({ filteredHere: ['key'], notApplied: [], isComplete: true, rowsRead: 7 })
  expect(queries(seen)).toEqual([
    'key=REQ-6&page_size=2 200',
    'key=ID&page_size=1 200',
    expect.stringMatching(/^page_size=200&page_token=.* 200$/),
  ])
  await api.listRequirements({ ...of, key: ['REQ-7'], page_size: 2 })
  expect(queries(seen).slice(3)).toEqual(['page_size=200 200'])
})

test('a refused parameter that the error names is left out; the next call knows it', async () => {
  const { api, seen, of } = deployment('refusesByName')
  const page = await api.listRequirements({ ...of, priority: ['PRIORITY_HIGH'], page_size: 3 })
  expect(titles(page)).toEqual(['Six'])
  expect(page.reading).toEqual({ filteredHere: ['priority'], notApplied: [], isComplete: true, rowsRead: 7 })
  expect(queries(seen)).toEqual(['priority=PRIORITY_HIGH&page_size=3 400', 'page_size=3 400', ' 200'])
  await api.listRequirements({ ...of, priority: ['PRIORITY_LOW'], page_size: 3 })
  await api.listTests({ ...of, page_size: 3 })
  expect(queries(seen).slice(3)).toEqual([' 200', ' 200'])
})

test('of two refusals, the one of a parameter that cannot be left out is told', async () => {
  const { api, seen, of } = deployment('refusesByName')
  const branch_id = '01890000-0000-7000-8000-000000000000'
  await expect(api.listTests({ ...of, key: ['TC-1'], branch_id })).rejects.toMatchObject({
    violations: [{ field: 'branch_id' }],
  })
  expect(queries(seen)).toEqual(['key=TC-1&branch_id=ID 400', 'branch_id=ID 400'])
})

test('without the name, the parameters that only we have are left out first, the page size last', async () => {
  const { api, seen, of } = deployment('refuses')
  const page = await api.listIssues({ ...of, status: 'unresolved', short_id: 'PRODUCT-2', page_size: 2 })
  expect(page.reading).toMatchObject({ filteredHere: ['short_id'], notApplied: [] })
  expect(queries(seen)).toEqual([
    'status=unresolved&short_id=PRODUCT-2&page_size=2 400',
    'status=unresolved&page_size=2 400',
    'status=unresolved 200',
  ])
})

test('a filter that is ignored is applied here also where every list begins with an empty page', async () => {
  const { api, of } = deployment('emptyPages', 'ignores:key')
  for (const page_size of [2, 5]) {
    const page = await api.listRequirements({ ...of, key: ['REQ-6'], page_size })
    expect(titles(page)).toEqual(['Six'])
    expect(page.reading.filteredHere).toEqual(['key'])
  }
})

test('a refusal that is about a value stays an error', async () => {
  const { api, seen, of } = deployment()
  await expect(api.listRequirements({ ...of, page_token: 'stale' })).rejects.toMatchObject({
    reason: 'PAGE_TOKEN_MISMATCH',
  })
  await expect(api.listIssues({ ...of, period: 'soon' as '7d' })).rejects.toMatchObject({ code: 'invalid_argument' })
  await api.listTests({ ...of, kind: 'TEST_KIND_CASE' })
  await expect(api.listTests({ ...of, kind: 'odd' as 'TEST_KIND_CASE' })).rejects.toMatchObject({
    reason: 'FIELD_INVALID',
  })
  expect(seen.log).toHaveLength(4)
})

test.each([
  ['the list', 0],
  ['a request that tries a filter', 1],
])('a page of a proxy in place of %s is an error, and says nothing of the parameters', async (_, at) => {
  let sent = 0
  const seen = watched(reshaped(app.service.direct, 'ignores:key'))
  const send: Send = (request) => {
    sent += 1
    if (sent - 1 !== at) return seen(request)
    return Promise.resolve({ status: 400, headers: { 'content-type': 'text/html' }, body: '<html>Bad Request</html>' })
  }
  const api = createApi({ send, baseUrl: origin, token: app.token, retries: 0 })
  const ask = { product_id: app.productId, key: ['REQ-6'], page_size: 2 }
  await expect(api.listRequirements(ask)).rejects.toMatchObject({ reason: 'NOT_FROM_SERVICE' })
  expect(titles(await api.listRequirements(ask))).toEqual(['Six'])
  expect(queries(seen).filter((query) => query.startsWith('key='))).toEqual([
    'key=REQ-6&page_size=2 200',
    ...(at === 1 ? ['key=REQ-6&page_size=2 200'] : []),
    'key=ID&page_size=1 200',
  ])
})

test('a parameter of another answer is left out too', async () => {
  const { api, of } = deployment('refuses')
  const { issues } = await api.listIssues({ ...of })
  const { fix_context: fix } = await api.getFixContext({
    ...of,
    issue_id: issues[0]?.id ?? '',
    max_frames: 5,
    max_files: 3,
  })
  expect(fix.issue?.id).toBe(issues[0]?.id)
})

test('a filter that no row says anything about is asked for what cannot be', async () => {
  const { api, seen, of } = deployment('ignores:environment_id', 'without:environments')
  const { environments } = await app.api.listEnvironments({ ...of })
  const ask = { ...of, environment_id: environments[0]?.id, page_size: 2 }
  const page = await api.listIssues(ask)
  expect(page.issues).toHaveLength(2)
  expect(page.reading).toEqual({ filteredHere: [], notApplied: ['environment_id'], isComplete: false })
  expect(page.pagination).toBeUndefined()
  expect(queries(seen)).toEqual(['environment_id=ID&page_size=2 200', 'environment_id=ID&page_size=1 200'])
  await api.listIssues(ask)
  expect(queries(seen).slice(2)).toEqual(['page_size=2 200'])
})

test('a filter that works is checked once, where the rows do not say', async () => {
  const { api, seen, of } = deployment('without:environments')
  const { environments } = await app.api.listEnvironments({ ...of })
  const ask = { ...of, environment_id: environments[0]?.id, page_size: 5 }
  const first = await api.listIssues(ask)
  await api.listIssues(ask)
  expect(first.reading).toEqual({ filteredHere: [], notApplied: [], isComplete: true })
  expect(queries(seen)).toEqual([
    'environment_id=ID&page_size=5 200',
    'environment_id=ID&page_size=1 200',
    'environment_id=ID&page_size=5 200',
  ])
})

test.each(['allRows', 'refuses', 'ignores:page_size'])(
  'a page has the rows that were asked for, and none is lost or twice: %s',
  async (name) => {
    const { api, of } = deployment(name)
    const found: unknown[] = []
    let cursor: string | undefined
    do {
      const page = await api.listRequirements({ ...of, page_size: 3, page_token: cursor })
      expect(page.requirements.length).toBeLessThanOrEqual(3)
      expect(page.reading.isComplete).toBe(page.next_page_token === '')
      found.push(...titles(page))
      cursor = page.next_page_token
    } while (cursor !== '' && found.length < 20)
    expect(found).toEqual(['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven'])
  },
)

test('rows that are filtered here are paged without loss', async () => {
  const { api, of } = deployment('ignores:priority', 'smallPages')
  const ask = { ...of, priority: ['PRIORITY_LOW' as const], page_size: 4 }
  const first = await api.listRequirements(ask)
  const second = await api.listRequirements({ ...ask, page_token: first.next_page_token })
  expect([titles(first), titles(second)]).toEqual([
    ['One', 'Two', 'Three', 'Four'],
    ['Five', 'Seven'],
  ])
  expect([first.reading.isComplete, second.reading.isComplete]).toEqual([false, true])
})

test('a token that leads to the same page again ends the list, and shows nothing twice', async () => {
  const { api, of } = deployment('repeatsToken')
  const first = await api.listRequirements({ ...of, page_size: 3 })
  const second = await api.listRequirements({ ...of, page_size: 3, page_token: first.next_page_token })
  expect([titles(first).length, titles(second).length]).toEqual([3, 0])
  expect(second.next_page_token).toBe('')
  expect(second.reading.isComplete).toBeUndefined()
})

test('pages of other filters with the same token end no list', async () => {
  const rows = ['ignored', 'unresolved', 'unresolved', 'unresolved'].map((status, at) => ({
    id: `issue ${String(at)}`,
    status,
  }))
  // The tokens of this deployment are offsets.
  const send = ({ url }: WireRequest): WireReply => {
    const query = new URL(url, origin).searchParams
    const [from, size] = ['page_token', 'page_size'].map((name) => Number(query.get(`pagination.${name}`) ?? 0)) as [
      number,
      number,
    ]
    const found = rows.filter(({ status }) => [null, status].includes(query.get('status')))
    const next = from + size < found.length ? String(from + size) : ''
    const body = JSON.stringify({ issues: found.slice(from, from + size), next_page_token: next })
    return { status: 200, headers: { 'content-type': 'application/json' }, body }
  }
  const api = createApi({ send: async (request) => send(request), baseUrl: origin, token: app.token, retries: 0 })
  const ask = { product_id: app.productId, page_size: 1 }
  const first = await api.listIssues(ask)
  await api.listIssues({ ...ask, status: 'unresolved' })
  const second = await api.listIssues({ ...ask, page_token: first.next_page_token })
  expect(second.issues.map(({ id }) => id)).toEqual(['issue 1'])
})

test('a list with neither token nor total does not say whether there are more', async () => {
  const { api, of } = deployment('noPaging')
  const page = await api.listRequirements({ ...of, page_size: 3 })
  expect(page.reading.isComplete).toBeUndefined()
  expect(page.pagination).toBeUndefined()
})

test('issues in another order are put in order where all were read', async () => {
  const { api, of } = deployment('ignores:sort')
  const all = await api.listIssues({ ...of, sort: 'first_seen', page_size: 50 })
  const known = await app.api.listIssues({ ...of, sort: 'first_seen', page_size: 50 })
  expect(all.issues.map(({ id }) => id)).toEqual(known.issues.map(({ id }) => id))
})

test('what was learned can be read, and is forgotten after ten minutes', async () => {
  let now = 0
  const capabilities = new Capabilities({ now: () => now })
  const send = reshaped(app.service.direct, 'ignores:key')
  const api = createApi({ send, baseUrl: origin, token: app.token, capabilities })
  await api.listRequirements({ product_id: app.productId, key: ['REQ-6'], page_size: 2 })
  expect(capabilities.learned()).toEqual({
    '/v1/products/{product_id}/requirements': {
      hasTokens: true,
      hasTotals: true,
      respectsPageSize: true,
      parameters: { key: 'ignored', page_size: 'accepted' },
    },
  })
  now = 11 * 60_000
  expect(capabilities.state('/v1/products/{product_id}/requirements', 'key')).toBeUndefined()
})
