import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type App } from '../../app.ts'
import { serveMcp, type McpServed } from '../http/http-server.ts'

let app: App
let served: McpServed
let session: string
beforeAll(async () => {
  app = await startApp()
  served = await serveMcp(app)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const opened = await ask({ method: 'initialize', params })
  session = opened.headers.get('mcp-session-id') ?? ''
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  await app.close()
})

interface Asked {
  method: string
  params?: Record<string, unknown>
}

function ask({ method, params }: Asked, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${served.base}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${app.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
}

const inSession = (asked: Asked) => ask(asked, { 'mcp-session-id': session })
const modern = ({ method, params = {} }: Asked) => {
  const { name = params['uri'] ?? '' } = params
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': String(name) }
  return ask({ method, params: { ...params, _meta } }, headers)
}

async function failure(response: Response) {
  const text = await response.text()
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text
  const { id, error } = JSON.parse(json) as { id: unknown; error?: { code: number; message: string } }
  return { id, code: error?.code, message: error?.message }
}

const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']
const wrong: [Asked, string | RegExp][] = [
  ...lists.flatMap((method): [Asked, string][] =>
    [7, 'page-2'].map((cursor) => [{ method, params: { cursor } }, 'unknown cursor: this list has one page']),
  ),
  [{ method: 'completion/complete' }, 'ref must name a prompt or a resource template'],
]
const states = [7, null, true, {}, []]
const wrongStates = states.map((requestState): [Asked, string] => [
  { method: 'tools/call', params: { name: 'find_error_issues', arguments: {}, requestState } },
  'requestState must be a string',
])
const wrongResponses = [7, null, 'yes', []].map((inputResponses): [Asked, string] => [
  { method: 'tools/call', params: { name: 'find_error_issues', arguments: {}, inputResponses } },
  'inputResponses must be an object',
])
const wrongInSession: typeof wrong = [
  ...wrong,
  [{ method: 'resources/read' }, 'uri must be a string'],
  [{ method: 'resources/subscribe', params: {} }, 'uri must be a string'],
  [{ method: 'resources/read', params: { uri: `tracegate://issue/${'x'.repeat(1_000_000)}` } }, 'uri is too long'],
  [{ method: 'resources/subscribe', params: { uri: `tracegate://issue/${'x'.repeat(1_000_000)}` } }, 'uri is too long'],
  [{ method: 'prompts/get' }, 'name must be a string'],
]
const inherited = ['constructor', 'toString', '__proto__', 'hasOwnProperty']
const unknown: typeof wrong = inherited.flatMap((name): typeof wrong => [
  [{ method: 'tools/call', params: { name, arguments: {} } }, `Tool ${name} not found`],
  [{ method: 'prompts/get', params: { name } }, `Prompt ${name} not found`],
])

describe.each([
  ['in a session', inSession, [...wrongInSession, ...wrongStates, ...wrongResponses, ...unknown]],
  ['in the 2026-07-28 revision', modern, [...wrong, ...wrongStates, ...wrongResponses, ...unknown]],
])('%s', (_, send, cases) => {
  test.each(
    cases.map(([asked, message]) => [asked.method, JSON.stringify(asked.params ?? {}).slice(0, 40), asked, message]),
  )('%s with %s is an error of its parameters', async (_method, _params, asked, message) => {
    expect(await failure(await send(asked as Asked))).toEqual({ id: 7, code: -32_602, message })
  })
})

test.each([{}, { params: {} }, { params: { protocolVersion: 1 } }])(
  'initialize with %j is an error of its parameters',
  async (given) => {
    const response = await ask({ method: 'initialize', ...given })
    expect(response.status).toBe(400)
    expect(await failure(response)).toMatchObject({ id: 7, code: -32_602 })
  },
)

test.each(['PUT', 'PATCH', 'HEAD', 'OPTIONS'])('%s is answered with the methods that there are', async (method) => {
  const response = await fetch(`${served.base}/mcp`, { method, headers: { authorization: `Bearer ${app.token}` } })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE'])
})

test('a wrong Content-Type is refused and not logged', async () => {
  const response = await modern({ method: 'tools/list' })
  expect(response.status).toBe(200)
  const headers = { 'content-type': 'text/plain', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
  expect((await ask({ method: 'tools/list', params: { _meta: {} } }, headers)).status).toBe(415)
  expect(served.errors).toEqual([])
})

test.each(['chrome-extension://localhost', 'moz-extension://127.0.0.1', 'null'])(
  'origin %s is refused everywhere',
  async (origin) => {
    expect((await ask({ method: 'ping' }, { origin })).status).toBe(403)
    const headers = { authorization: `Bearer ${app.token}`, origin }
    expect((await fetch(`${served.base}/v1/auth/me`, { headers })).status).toBe(403)
  },
)
