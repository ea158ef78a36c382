import { request, type IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type App } from '../../app.ts'
import { serveMcp, type McpServed } from './http-server.ts'

let app: App
let server: McpServed
beforeAll(async () => {
  app = await startApp()
  server = await serveMcp(app, { allowedHosts: ['127.0.0.1', 'inspector.example'] })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await app.close()
})

interface Answer {
  status: number | undefined
  headers: IncomingHttpHeaders
}

function ask(method: string, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(server.base + path, { method, headers, agent: false }, (incoming) => {
      incoming.resume()
      incoming.on('end', () => resolve({ status: incoming.statusCode, headers: incoming.headers }))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** What a browser asks before a call of tools/call. */
function preflight(path: string, origin: string, names = 'authorization,content-type'): Promise<Answer> {
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': names }
  return ask('OPTIONS', path, { origin, ...asked })
}

const permissions = (headers: IncomingHttpHeaders) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

test.each(['/mcp', '/mcp/readonly', '/mcp/x/requirements,tests', '/mcp/p/1', '/mcp/x/all/p/1/'])(
  'a browser may call %s from a page of an allowed origin, and need not show a token to ask',
  async (path) => {
    const { status, headers } = await preflight(path, 'http://127.0.0.1:6274')
    expect(status).toBe(204)
    expect(headers['access-control-allow-origin']).toBe('http://127.0.0.1:6274')
    expect(headers['access-control-allow-methods']).toBe('GET, POST, DELETE')
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
    expect(headers.vary).toContain('Origin')
  },
)

test('a page may send what clients of MCP send, arguments as headers included, and nothing else', async () => {
  const { headers } = await preflight('/mcp', 'https://inspector.example', 'mcp-param-product, x-evil, mcp-param-a b')
  const allowed = (headers['access-control-allow-headers'] ?? '').toLowerCase().split(', ')
  for (const name of [
    'authorization',
    'content-type',
    'accept',
    'last-event-id',
    'mcp-protocol-version',
    'mcp-session-id',
    'mcp-method',
    'mcp-name',
    'traceparent',
    'tracestate',
    'x-mcp-toolsets',
    'x-mcp-readonly',
    'x-mcp-confirm',
    'mcp-param-product',
  ])
    expect(allowed).toContain(name)
  expect(allowed.filter((name) => /evil|param-a|\*/.test(name))).toEqual([])
})

test.each(['https://evil.example', 'http://127.0.0.1.evil.example', 'null'])(
  'a page of %s is refused with 403, and no header lets it read why',
  async (origin) => {
    for (const answer of [await preflight('/mcp', origin), await ask('POST', '/mcp', { origin })]) {
      expect(answer.status).toBe(403)
      expect(permissions(answer.headers)).toEqual([])
    }
  },
)

test.each([
  ['401 without a token', '/mcp', 401],
  ['404 for an unknown address', '/mcp/other', 404],
])('a page can read %s, with the challenge and the time to wait', async (_, path, status) => {
  const answer = await ask('POST', path, { origin: 'http://127.0.0.1:6274' })
  expect(answer.status).toBe(status)
  expect(answer.headers['access-control-allow-origin']).toBe('http://127.0.0.1:6274')
  expect(answer.headers['access-control-expose-headers']).toBe('Mcp-Session-Id, WWW-Authenticate, Retry-After')
})

test('a client that is no page gets no such headers, and OPTIONS without a question needs a token', async () => {
  const answer = await ask('OPTIONS', '/mcp', {})
  expect(answer.status).toBe(401)
  expect(permissions(answer.headers)).toEqual([])
  expect(answer.headers.vary).toBe('Origin')
})
