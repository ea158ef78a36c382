import { expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import type { Send, WireReply } from '../../../src/contract/base/wire.ts'
import { origin, startApp, type App } from '../../app.ts'
import { virtualClock, type VirtualClock } from '../../virtual-clock.ts'
import { connect } from '../clients.ts'

const never = new Promise<never>(() => {})

/** An agent of the service, seen through `around`, and the requests that were sent. */
async function agentOf(app: App, clock: VirtualClock, around: (path: string) => Promise<WireReply> | undefined) {
  const sent: string[] = []
  const send: Send = (request) => {
    const path = `${request.method} ${new URL(request.url).pathname}`
    sent.push(path)
    return around(path) ?? app.service.direct(request)
  }
  const { token } = app
  const api = createApi({ send, baseUrl: origin, token, sleep: clock.sleep, now: () => clock.now() })
  const agent = await connect(api, { clock, options: { toolsets: ['all'] } })
  return { agent, sent }
}

const down = (headers = {}): Promise<WireReply> => Promise.resolve({ status: 503, headers, body: '{"code":14}' })

test('a call ends after 25 s and names the request that was not answered', async () => {
  const clock = virtualClock()
  await using app = await startApp()
  const { agent, sent } = await agentOf(app, clock, (path) => {
    if (!path.endsWith('/issues')) return undefined
    setImmediate(() => clock.pass(25_000))
    return never
  })
  await using _ = agent
  const { text, isError } = await agent.call('find_error_issues')
  expect(isError).toBe(true)
  expect(text).toContain('no answer from GET /v1/products/{product_id}/issues within the 25 s of this call')
  expect(text).toContain('upstream_unavailable, retry in a moment')
  expect(sent.filter((path) => path.endsWith('/issues'))).toHaveLength(1)
})

test('a write that is not answered in time has an unknown outcome and is sent once', async () => {
  const clock = virtualClock()
  await using app = await startApp()
  const { agent, sent } = await agentOf(app, clock, (path) => {
    if (!/^POST .*\/requirements$/.test(path)) return undefined
    setImmediate(() => clock.pass(25_000))
    return never
  })
  await using _ = agent
  const { text } = await agent.call('save_requirement', { title: 'Pay by card', statement: 'A customer pays by card.' })
  expect(text).toContain('outcome_unknown')
  expect(sent.filter((path) => path.startsWith('POST'))).toHaveLength(1)
})

test('a Retry-After is waited for once, and passed on when what is left of the 25 s is too short', async () => {
  const clock = virtualClock()
  await using app = await startApp()
  const { agent, sent } = await agentOf(app, clock, (path) =>
    path.endsWith('/issues') ? down({ 'retry-after': '19' }) : undefined,
  )
  await using _ = agent
  const { text } = await agent.call('find_error_issues')
  expect(text).toContain('retry after 19 s')
  expect(sent.filter((path) => path.endsWith('/issues'))).toHaveLength(2)
  expect(clock.now()).toBe(19_000)
})

test('work that heeds no signal does not hold the call beyond its time', async () => {
  const clock = virtualClock()
  await using app = await startApp()
  await using agent = await connect(app.api, {
    clock,
    options: { local: true, toolsets: ['all'] },
    local: { root: () => never, list: () => never, read: () => never } as never,
  })
  const call = agent.call('ingest_test_report', { path: 'junit.xml' })
  for (let turn = 0; turn < 50; turn++) {
    // oxlint-disable-next-line no-await-in-loop -- lets the call get to the file
    await new Promise((done) => setImmediate(done))
  }
  clock.pass(25_000)
  clock.pass(1_000)
  expect((await call).text).toContain('this call did not end within its 25 s (upstream_unavailable')
})

test('after a call has failed none of its requests is repeated', async () => {
  const clock = virtualClock()
  await using app = await startApp()
  const waits: (() => void)[] = []
  const sent: string[] = []
  const send: Send = (request) => {
    const { pathname } = new URL(request.url)
    sent.push(pathname)
    if (pathname.endsWith('/environments')) return down()
    if (pathname.endsWith('/components')) return Promise.resolve({ status: 403, headers: {}, body: '{"code":7}' })
    return app.service.direct(request)
  }
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      waits.push(resolve)
      signal?.addEventListener('abort', () => reject(signal.reason as Error))
    })
  const api = createApi({ send, baseUrl: origin, token: app.token, sleep })
  await using agent = await connect(api, { clock })
  const { isError } = await agent.call('get_workspace_context', { include: ['environments', 'components'] })
  expect(isError).toBe(true)
  const before = sent.length
  for (const resolve of waits) resolve()
  await new Promise((done) => setImmediate(done))
  expect(sent.filter((path) => path.endsWith('/environments'))).toHaveLength(1)
  expect(sent).toHaveLength(before)
})

test('a call that is cancelled sends no further request, and is no bug', async () => {
  await using app = await startApp()
  const cancelling = new AbortController()
  const bugs: unknown[] = []
  const sent: string[] = []
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  const send: Send = (request) => {
    sent.push(new URL(request.url).pathname)
    return down()
  }
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((_done, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error))
      cancelling.abort()
    })
  const api = createApi({ send, baseUrl: origin, token: app.token, sleep })
  await using agent = await connect(api, {
    onBug: (error) => bugs.push(error),
    onCall: ({ outcome }) => end(outcome),
  })
  const call = agent.client.callTool({ name: 'find_error_issues', arguments: {} }, {
    signal: cancelling.signal,
  } as never)
  expect((await Promise.allSettled([call]))[0].status).toBe('rejected')
  expect(await ended).toBe('cancelled')
  expect(sent).toHaveLength(1)
  expect(bugs).toEqual([])
})

test('a change that was not sent when the time was over is told as not sent, the others as unknown', async () => {
  const clock = virtualClock()
  await using app = await startApp()
  for (let number = 0; number < 9; number += 1) {
    await app.ingest({ exception: { values: [{ type: `Error${String.fromCodePoint(65 + number)}` }] } })
  }
  let waiting = 0
  const { agent, sent } = await agentOf(app, clock, (path) => {
    if (path.endsWith('/issues:bulkSetStatus')) return noRoute()
    if (!path.endsWith(':setStatus')) return undefined
    waiting += 1
    if (waiting === 8) setImmediate(() => clock.pass(25_000))
    return never
  })
  await using _ = agent
  const { issues } = await app.api.listIssues({ product_id: app.productId })
  const args = { issues: issues.map(({ id }) => id), status: 'resolved', reason: 'r' }
  const { text } = await agent.call('set_error_issue_status', args)
  expect(text).toContain('8 unknown, 1 failed.')
  expect(text.match(/not sent: no time was left/g)).toHaveLength(1)
  expect(sent.filter((path) => path.endsWith(':setStatus'))).toHaveLength(8)
})

const noRoute = (): Promise<WireReply> =>
  Promise.resolve({ status: 404, headers: {}, body: '{"code":5,"message":"Not Found","details":[]}' })
