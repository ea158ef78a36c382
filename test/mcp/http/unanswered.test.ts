import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMemoryStore, type SessionStore } from '../../../src/mcp/http/session-store.ts'
import type { Surface } from '../../../src/mcp/surface/listing.ts'
import { startApp, type App } from '../../app.ts'
import { waitingTool } from '../call/waiting-tool.ts'
import { serveMcp, type McpServed } from './http-server.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

/** Ends each call that runs. */
let ends: (() => void)[] = []
/** The calls that were told to stop. */
let stopped = 0
const slow = waitingTool(async ({ note = '' }, { signal }) => {
  signal.addEventListener('abort', () => (stopped += 1))
  await new Promise<void>((resolve) => ends.push(resolve))
  return `Waited.${note.slice(0, 20)}`
})
const surface: Surface = { tools: [slow], resources: [], templates: [], prompts: [] }

let served: McpServed
let session: Record<string, string>
let memory: SessionStore
let findSession: SessionStore['find']
beforeEach(async () => {
  ends = []
  stopped = 0
  memory = createMemoryStore()
  findSession = memory.find
  const sessions: SessionStore = { ...memory, find: (...asked) => findSession(...asked) }
  served = await serveMcp(app, { surface, perToken: 3, sessions })
  session = {}
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const opened = await post({ id: 0, method: 'initialize', params })
  await opened.text()
  session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
})
afterEach(async () => {
  ends.forEach((end) => end())
  await served[Symbol.asyncDispose]()
})

function post(message: object | object[], signal: AbortSignal | null = null): Promise<Response> {
  const whole = (part: object) => ({ jsonrpc: '2.0', ...part })
  return fetch(`${served.base}/mcp`, {
    signal,
    method: 'POST',
    headers: {
      authorization: `Bearer ${app.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...session,
    },
    body: JSON.stringify(Array.isArray(message) ? message.map(whole) : whole(message)),
  })
}

/** All that comes in response: a call sends nothing before its answer, not even headers. */
const received = async (message: object | object[]) => (await post(message)).text()

const call = (id: string | number, args: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name: 'wait_long', arguments: args },
})

/** Sends a call; `leave` disconnects before there is an answer. */
function callFor(id: string | number, args?: object): { leave(this: void): Promise<void> } {
  const leaving = new AbortController()
  const response = post(call(id, args), leaving.signal).then(
    () => 'answered',
    () => 'disconnected',
  )
  return {
    async leave() {
      leaving.abort()
      expect(await response).toBe('disconnected')
    },
  }
}

/** Sends a call, and disconnects when it runs. */
async function callAndLeave(id: string, args?: object): Promise<void> {
  const { leave } = callFor(id, args)
  await begun(ends.length + 1)
  await leave()
}

async function cancel(requestId: string | number): Promise<void> {
  expect((await post({ method: 'notifications/cancelled', params: { requestId } })).status).toBe(202)
}

async function begun(count: number): Promise<void> {
  await expect.poll(() => ends.length).toBe(count)
}

test('the response of a call that its client cancels ends, and no longer counts for its token', async () => {
  for (let id = 1; id < 6; id += 1) {
    const response = received(call(id))
    await begun(id)
    await cancel(id)
    expect(await response).toBe('')
  }
  expect((await post({ id: 9, method: 'ping' })).status).toBe(200)
})

test.each([
  ['the last one to end', () => ends[0]?.(), () => cancel('b')],
  ['cancelled before another one ends', () => cancel('b'), () => ends[0]?.()],
])('the response of a batch ends with its last call when one is %s', async (_, first, second) => {
  const response = received([call('a'), call('b')])
  await begun(2)
  await first()
  await second()
  const events = await response
  expect(events).toContain('"id":"a"')
  expect(events).not.toContain('"id":"b"')
})

test('a request with the id of a call that is running is refused, and the call gets its own answer', async () => {
  const response = received(call('a'))
  await begun(1)
  const refused = await post(call('a'))
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { jsonrpc: '2.0', error: { code: -32_600, message: 'a request with this id is running' }, id: 'a' },
  ])
  ends[0]?.()
  expect(await response).toContain('Waited.')
  const again = received(call('a'))
  await begun(2)
  ends[1]?.()
  expect(await again).toContain('Waited.')
})

test('a batch with two requests of one id is refused, and nothing of it runs', async () => {
  const refused = await post([call('a'), { id: 'b', method: 'ping' }, call('a')])
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { jsonrpc: '2.0', error: { code: -32_600, message: 'two requests of this batch have the same id' }, id: 'a' },
  ])
  expect(
    await received([
      { id: 'a', method: 'ping' },
      { id: 'b', method: 'ping' },
    ]),
  ).toContain('"id":"a"')
  expect(ends).toEqual([])
})

test.each([{ reason: null }, { reason: 7 }])(
  'a cancellation that is not valid (%j) ends neither a call nor its response',
  async (more) => {
    const response = received(call('a'))
    await begun(1)
    const params = { requestId: 'a', ...more }
    await (await post({ method: 'notifications/cancelled', params })).text()
    // By then an end that was put off to the next turn would have happened.
    await received({ id: 9, method: 'ping' })
    ends[0]?.()
    expect([stopped, await response]).toEqual([0, expect.stringContaining('Waited.')])
  },
)

test('a call whose client has disconnected goes on, and counts until it ends', async () => {
  for (const id of ['a', 'b', 'c']) await callAndLeave(id)
  const refused = await post({ id: 9, method: 'ping' })
  expect([refused.status, stopped]).toEqual([429, 0])
  ends.forEach((end) => end())
  await expect.poll(async () => (await post({ id: 9, method: 'ping' })).status).toBe(200)
})

test('a call whose client has disconnected can be cancelled', async () => {
  await callAndLeave('a')
  await cancel('a')
  await expect.poll(() => stopped).toBe(1)
  const again = received(call('a'))
  await begun(2)
  ends[1]?.()
  expect(await again).toContain('Waited.')
})

test('a call with the id of one whose client has disconnected does not get the answer to that one', async () => {
  await callAndLeave('a', { note: 'first' })
  expect((await post(call('a', { note: 'second' }))).status).toBe(400)
  ends[0]?.()
  await expect.poll(() => received({ id: 9, method: 'ping' })).toContain('"id":9')
  const again = received(call('a', { note: 'third' }))
  await begun(2)
  ends[1]?.()
  expect(await again).toContain('Waited.third')
})

test('the end of a session ends what was counted in it', async () => {
  for (const id of ['a', 'b']) await callAndLeave(id)
  const ended = await fetch(`${served.base}/mcp`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${app.token}`, ...session },
  })
  expect([ended.status, stopped]).toEqual([200, 2])
  const other = await Promise.all([1, 2, 3].map(() => post({ id: 1, method: 'ping' })))
  expect(other.map(({ status }) => status)).toEqual([404, 404, 404])
})

test.each([
  ['not acceptable', { accept: 'application/json' }, 406],
  ['of an unknown revision', { 'mcp-protocol-version': '1999-01-01' }, 400],
])('a request that is %s does not count after its refusal', async (_, headers, status) => {
  const usual = session
  session = { ...usual, ...headers }
  for (let sent = 0; sent < 4; sent += 1) expect((await post({ id: 'a', method: 'ping' })).status).toBe(status)
  session = usual
  expect(await received({ id: 'a', method: 'ping' })).toContain('"id":"a"')
})

test('a call whose client disconnects before it begins counts too', async () => {
  const { promise: found, resolve: find } = Promise.withResolvers<void>()
  let looked = 0
  findSession = async (...asked) => {
    looked += 1
    await found
    return memory.find(...asked)
  }
  for (const count of [1, 2, 3]) {
    const { leave } = callFor(count)
    await expect.poll(() => looked).toBe(count)
    await leave()
  }
  expect((await post({ id: 9, method: 'ping' })).status).toBe(429)
  find()
  await begun(3)
  expect((await post({ id: 9, method: 'ping' })).status).toBe(429)
})
