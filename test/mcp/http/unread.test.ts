import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { requestEnvelope } from '../../../src/mcp/opening/read.ts'
import type { Surface } from '../../../src/mcp/surface/listing.ts'
import { startApp, type App } from '../../app.ts'
import { waitingTool } from '../call/waiting-tool.ts'
import { serveMcp, type McpServed } from './http-server.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const uri = 'test://long'
/** More than the system keeps of what nobody reads. */
const text = 'x'.repeat(20_000_000)
const surface: Surface = {
  tools: [waitingTool(() => Promise.resolve())],
  resources: [{ name: 'long', uri, title: 'Long', description: 'Long.', mimeType: 'text/plain', text }],
  templates: [],
  prompts: [],
}

let served: McpServed
beforeEach(async () => {
  served = await serveMcp(app, { surface, perToken: 1, unreadMs: 500 })
})
afterEach(() => served[Symbol.asyncDispose]())

const usual = () => ({
  authorization: `Bearer ${app.token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
})

async function openSession(): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const opened = await fetch(`${served.base}/mcp`, { method: 'POST', headers: usual(), body })
  await opened.text()
  return { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
}

/** Asks for what is long, and stops reading at the beginning of the response. */
async function askAndStopReading(given: object, params: object): Promise<Socket> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri, ...params } })
  const headers = { ...usual(), host: 'localhost', 'content-length': String(Buffer.byteLength(body)), ...given }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`)
  const socket = connect(Number(new URL(served.base).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
  await once(socket, 'data')
  return socket.pause()
}

const status = async () => {
  const answer = await fetch(`${served.base}/mcp`, { method: 'POST', headers: usual(), body: '{}' })
  await answer.text()
  return answer.status
}

const modern = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'resources/read',
  'mcp-name': uri,
}

test.each([
  ['2026-07-28', () => Promise.resolve(modern), { _meta: requestEnvelope({ name: 'raw', version: '1' }) }],
  ['2025-11-25', openSession, {}],
])('a response that a client of %s does not read gives back what its request took', async (_, headers, params) => {
  const socket = await askAndStopReading(await headers(), params)
  expect(await status()).toBe(429)
  await expect.poll(status, { timeout: 10_000 }).toBe(400)
  socket.destroy()
})

const long = 'x'.repeat(1025)
const call = (id: string, meta: object) => ({ jsonrpc: '2.0', id, method: 'ping', params: { _meta: meta } })

test.each([
  ['an id of 2026-07-28', modern, call(long, requestEnvelope({ name: 'raw', version: '1' }))],
  [
    'a progress token of 2026-07-28',
    modern,
    call('1', { ...requestEnvelope({ name: 'raw', version: '1' }), progressToken: long }),
  ],
  ['an id of 2025-11-25', {}, call(long, {})],
  ['a progress token in a batch', {}, [call('1', {}), call('2', { progressToken: long })]],
])('%s that would be repeated in each message is refused when it is long', async (_, headers, body) => {
  const answer = await fetch(`${served.base}/mcp`, {
    method: 'POST',
    headers: { ...usual(), ...headers },
    body: JSON.stringify(body),
  })
  expect([answer.status, await answer.json()]).toEqual([
    400,
    {
      jsonrpc: '2.0',
      error: { code: -32_600, message: 'an id or a progress token is longer than 1,024 characters' },
      id: null,
    },
  ])
})
