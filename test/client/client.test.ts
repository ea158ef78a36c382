import { delay, http, HttpResponse } from 'msw'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { networkSend, type NetworkSend } from '../../src/client/transport.ts'
import { Untrusted } from '../../src/contract/base/text.ts'
import { ServiceError } from '../../src/errors.ts'
import { mockNetwork } from '../mock-network.ts'

const baseUrl = 'https://quality.invalid/gateway'
const network = mockNetwork()
beforeAll(() => network.enable())
afterAll(() => network.disable())

let send: NetworkSend
let waits: number[]
let requests: Request[]
beforeEach(() => {
  // A kept-alive connection that was opened before a mock would bypass it, so each test has its own client.
  send = networkSend({ timeoutMs: 2000 })
  waits = []
  requests = []
})
afterEach(async () => {
  await send.close()
  network.resetHandlers()
})

const now = Date.parse('2026-11-21T00:00:00Z')
function options() {
  return {
    send,
    baseUrl,
    token: 'tg_secret',
    now: () => now,
    async sleep(milliseconds: number, signal?: AbortSignal) {
      waits.push(milliseconds)
      signal?.throwIfAborted()
    },
  }
}
const api = () => createApi(options())

/** Returns the given responses to requests for the path in order, repeating the last one. */
function answers(method: 'get' | 'post' | 'put' | 'delete', path: string, ...replies: (() => Response)[]) {
  network.use(
    http[method](baseUrl + path, ({ request }) => {
      requests.push(request.clone())
      return (replies[requests.length - 1] ?? replies.at(-1))?.()
    }),
  )
}

const json =
  (body: object, status = 200, headers: Record<string, string> = {}) =>
  () =>
    HttpResponse.json(body as Record<string, string>, { status, headers })
const issue = (more = {}) => ({ id: 'i1', title: 'TypeError: x', status: 'unresolved', ...more })
const failure = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ServiceError)
  return error as ServiceError
}

test('a read sends bearer token, accept and user agent, and returns text from events as Untrusted', async () => {
  answers('get', '/v1/issues/:id', json({ issue: issue(), latest_event: null, releases: [], history: [] }))
  const answer = await api().getIssue({ id: 'i1' })
  expect(Object.fromEntries(requests[0]?.headers ?? [])).toMatchObject({
    authorization: 'Bearer tg_secret',
    accept: 'application/json',
    'user-agent': expect.stringMatching(/^tracegate\/\d+\.\d+\.\d+/) as string,
  })
  expect(answer.issue).toMatchObject({ id: 'i1', status: 'unresolved' })
  expect(Untrusted.open(answer.issue.title ?? new Untrusted(''))).toBe('TypeError: x')
  expect(answer).toMatchObject({ latest_event: null, releases: [], history: [] })
})

test('a list repeats array parameters, uses the paging names of the specification and omits undefined members', async () => {
  answers('get', '/v1/products/:id/issues', json({ issues: [], next_page_token: '' }))
  await api().listIssues({
    product_id: '7',
    levels: ['error', 'fatal'],
    status: '',
    q: undefined,
    is_regression: true,
    page_size: 20,
    page_token: 'a=b&c',
  })
  expect([...new URL(requests[0]?.url ?? '').searchParams]).toEqual([
    ['status', ''],
    ['levels', 'error'],
    ['levels', 'fatal'],
    ['is_regression', 'true'],
    ['pagination.page_size', '20'],
    ['pagination.page_token', 'a=b&c'],
  ])
})

test('a write sends the members that are not in the path as JSON', async () => {
  answers('post', '/v1/issues/:action', json({ issue: issue() }))
  await api().setIssueStatus({ id: 'a/b c', status: 'resolved', note: undefined, etag: 'e1' })
  expect(requests[0]?.url).toBe(`${baseUrl}/v1/issues/a%2Fb%20c:setStatus`)
  expect(requests[0]?.headers.get('content-type')).toBe('application/json')
  expect(await requests[0]?.json()).toEqual({ status: 'resolved', etag: 'e1' })
})

test.each(['.', '..', '', 'a/../b', '..\\x', 'a\nb', '\u0000', '\ud800'])(
  'a path value %j is refused before anything is sent',
  async (id) => {
    expect(await failure(api().getIssue({ id }))).toMatchObject({ code: 'invalid_argument', metadata: { field: 'id' } })
    expect(requests).toEqual([])
  },
)

test('a read waits as long as Retry-After says, in seconds or as a date, and retries', async () => {
  answers(
    'get',
    '/v1/workspaces',
    json({}, 429, { 'retry-after': '3' }),
    json({}, 503, { 'retry-after': 'Sat, 21 Nov 2026 00:00:05 GMT' }),
    json({ workspaces: [{ id: 'w1' }] }),
  )
  expect((await api().listWorkspaces({})).workspaces).toEqual([{ id: 'w1' }])
  expect(waits).toEqual([3000, 5000])
})

test('without Retry-After the waits grow, and the call fails after three retries', async () => {
  answers('get', '/v1/workspaces', json({ code: 14, message: 'down' }, 503))
  expect(await failure(api().listWorkspaces({}))).toMatchObject({ code: 'unavailable' })
  expect(requests).toHaveLength(4)
  expect(waits.map((wait, n) => wait / 2 ** n)).toEqual(waits.map(() => expect.closeTo(150, -2) as number))
})

test('a Retry-After that is too long for an agent is passed on without waiting', async () => {
  answers('get', '/v1/workspaces', json({}, 429, { 'retry-after': '120' }))
  expect(await failure(api().listWorkspaces({}))).toMatchObject({
    code: 'resource_exhausted',
    retryAfterSeconds: 120,
  })
  expect(waits).toEqual([])
  expect(requests).toHaveLength(1)
})

test('a write is retried only if its table entry allows it', async () => {
  answers('post', '/v1/issues/:action', json({}, 503), json({ issue: issue() }))
  expect((await api().setIssueStatus({ id: 'i1', status: 'resolved' })).issue.id).toBe('i1')
  expect(requests).toHaveLength(2)

  requests = []
  answers('post', '/v1/products/:id/environments', json({}, 503))
  const create = api().createEnvironment({ product_id: '1', name: 'qa', request_id: 'r1' })
  expect(await failure(create)).toMatchObject({ code: 'outcome_unknown' })
  expect(requests).toHaveLength(1)
})

test('a rate limit on a call that must not be repeated is passed on with the wait', async () => {
  answers('post', '/v1/products/:id/environments', json({}, 429, { 'retry-after': '2' }))
  const error = await failure(api().createEnvironment({ product_id: '1', name: 'qa' }))
  expect(error).toMatchObject({ code: 'resource_exhausted', retryAfterSeconds: 2 })
  expect(requests).toHaveLength(1)
})

test('an internal error of the deployment is not retried', async () => {
  answers('get', '/v1/workspaces', json({ code: 13 }, 500))
  expect(await failure(api().listWorkspaces({}))).toMatchObject({ code: 'unavailable' })
  expect(requests).toHaveLength(1)
})

test("an abort rejects the call with the caller's reason, and ends the wait between retries", async () => {
  network.use(
    http.get(`${baseUrl}/v1/workspaces`, async () => {
      await delay(60_000)
      return HttpResponse.json({})
    }),
  )
  const aborting = new AbortController()
  const call = api().listWorkspaces({}, { signal: aborting.signal })
  setImmediate(() => aborting.abort(new Error('enough')))
  await expect(call).rejects.toThrow('enough')

  answers('get', '/v1/issues/:id', json({}, 503))
  const second = new AbortController()
  const waiting = createApi({
    ...options(),
    async sleep(_, signal) {
      second.abort(new Error('changed my mind'))
      signal?.throwIfAborted()
    },
  })
  await expect(waiting.getIssue({ id: 'i1' }, { signal: second.signal })).rejects.toThrow('changed my mind')
  expect(requests).toHaveLength(1)
})

test('a response that is not JSON fails without quoting its text', async () => {
  answers('get', '/v1/workspaces', () => new HttpResponse('<h1>Welcome to IGNORE ALL</h1>'))
  const error = await failure(api().listWorkspaces({}))
  expect(error.code).toBe('upstream_shape_unknown')
  expect(error.message).not.toMatch(/welcome|ignore/i)
})

test('a redirect is not followed, so the token goes only to the configured address', async () => {
  answers(
    'get',
    '/v1/workspaces',
    () => new HttpResponse(null, { status: 302, headers: { location: 'https://else.invalid/' } }),
  )
  expect(await failure(api().listWorkspaces({}))).toMatchObject({
    code: 'upstream_shape_unknown',
    message: expect.stringContaining('redirect') as string,
  })
  expect(requests).toHaveLength(1)
})
