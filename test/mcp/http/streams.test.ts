import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { defineResourceTemplate } from '../../../src/mcp/define/define.ts'
import type { Surface } from '../../../src/mcp/surface/listing.ts'
import { startApp, type App } from '../../app.ts'
import { waitingTool } from '../call/waiting-tool.ts'
import { serveMcp, type McpServed } from './http-server.ts'

const HEARTBEAT_MS = 15_000

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

let end = () => {}
/** A tool that reports progress once and then takes until a test ends it. */
const slow = waitingTool(async (_, context) => {
  context.progress({ done: 1, total: 2, message: 'half of it' })
  await new Promise<void>((resolve) => (end = resolve))
})
const watched = defineResourceTemplate({
  name: 'thing',
  uriTemplate: 'test://thing/{id}',
  title: 'Thing',
  description: 'A thing.',
  tool: 'wait_long',
  args: () => ({}),
  suggest: {},
  watch: () => Promise.resolve({ value: 'always the same' }),
})
const surface: Surface = { tools: [slow], resources: [], templates: [watched], prompts: [] }

let served: McpServed
beforeEach(async () => {
  // Only what sends heartbeats: sockets keep their time.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  served = await serveMcp(app, { surface })
})
afterEach(async () => {
  end()
  await served[Symbol.asyncDispose]()
  vi.useRealTimers()
})

/** An open stream: its reply, and all that was received so far. */
async function open(init: { method?: string; headers: Record<string, string>; body?: object }) {
  const reply = await fetch(`${served.base}/mcp`, {
    method: init.method ?? 'POST',
    headers: {
      authorization: `Bearer ${app.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'gzip, br',
      ...init.headers,
    },
    ...(init.body && { body: JSON.stringify(init.body) }),
  })
  const received: string[] = []
  const ended = reply.body?.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write: (text) => {
        received.push(text)
      },
    }),
  )
  return { reply, ended, text: () => received.join('') }
}

const modern = (method: string, params: object) => ({
  headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': 'wait_long' },
  body: {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        progressToken: 1,
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
})

/** Opens a session of the 2025 revisions; resolves to the headers of its requests. */
async function openSession(): Promise<Record<string, string>> {
  const clientInfo = { name: 'test', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const { reply } = await open({ headers: {}, body: { jsonrpc: '2.0', id: 0, method: 'initialize', params } })
  return { 'mcp-session-id': reply.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' }
}

const streams = {
  'an answer with progress': () => open(modern('tools/call', { name: 'wait_long', arguments: {} })),
  'a stream of subscriptions': () =>
    open(modern('subscriptions/listen', { notifications: { resourceSubscriptions: ['test://thing/1'] } })),
  'an answer with progress in a session': async () => {
    const params = { name: 'wait_long', arguments: {}, _meta: { progressToken: 1 } }
    return open({ headers: await openSession(), body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } })
  },
  'a stream of notifications of a session': async () => open({ method: 'GET', headers: await openSession() }),
}

test.each(Object.entries(streams))('%s reaches the client as it is sent, past proxies', async (_, stream) => {
  const { reply } = await stream()
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  expect(reply.headers.get('content-encoding')).toBe(null)
})

test.each(Object.entries(streams))('%s has a comment every 15 seconds of silence', async (_, stream) => {
  const { text } = await stream()
  const comments = () =>
    text()
      .split('\n')
      .filter((line) => line.startsWith(':')).length
  expect(comments()).toBe(0)
  vi.advanceTimersByTime(HEARTBEAT_MS)
  await expect.poll(comments).toBe(1)
  vi.advanceTimersByTime(HEARTBEAT_MS)
  await expect.poll(comments).toBe(2)
})

test('a client that has lost its stream of notifications, unnoticed here, opens another one in its place', async () => {
  const headers = await openSession()
  const lost = await open({ method: 'GET', headers })
  const next = await open({ method: 'GET', headers })
  expect(next.reply.status).toBe(200)
  await lost.ended
  vi.advanceTimersByTime(HEARTBEAT_MS)
  await expect.poll(next.text).toBe(': keepalive\n\n')
})
