import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { defineTool, type Tool } from '../../../src/mcp/define/define.ts'
import type { Surface } from '../../../src/mcp/surface/listing.ts'
import { startApp, type App } from '../../app.ts'
import { serveMcp, type McpServed } from './http-server.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

/** Ends each call that runs. */
let ends: (() => void)[] = []
const slow = defineTool({
  name: 'wait_long',
  toolset: 'default',
  effect: 'read',
  title: 'Wait',
  description: 'Waits.',
  input: z.strictObject({}),
  output: z.object({}),
  async run() {
    await new Promise<void>((resolve) => ends.push(resolve))
    return { answer: 'Waited.', data: {} }
  },
})
// The types of input and output are the tool's own business.
const surface: Surface = { tools: [slow as unknown as Tool], resources: [], templates: [], prompts: [] }

let served: McpServed
let session: Record<string, string>
beforeEach(async () => {
  ends = []
  served = await serveMcp(app, { surface, perToken: 3 })
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

function post(message: object | object[]): Promise<Response> {
  const whole = (part: object) => ({ jsonrpc: '2.0', ...part })
  return fetch(`${served.base}/mcp`, {
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

const call = (id: string | number) => ({ id, method: 'tools/call', params: { name: 'wait_long', arguments: {} } })

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
