import { request } from 'node:http'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import type { Send } from '../../../src/contract/base/wire.ts'
import { ServiceError } from '../../../src/errors.ts'
import { origin, startApp, type App } from '../../app.ts'
import { tokenHeaders } from '../../service/people.ts'
import { eras } from '../clients.ts'
import { startBalancer } from './balancer.ts'
import { connectHttp, serveMcp, type McpServed } from './http-server.ts'

let app: App
let server: McpServed
let mcp: string
beforeAll(async () => {
  app = await startApp()
  await app.ingest({})
  server = await serveMcp(app)
  mcp = `${server.base}/mcp`
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await app.close()
})

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** One raw request: what no well-behaved client sends. */
function raw(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = 'POST', headers = {}, body } = options
    const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const outgoing = request(server.base + path, { method, headers: { ...usual, ...headers } }, (incoming) => {
      let text = ''
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString()))
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

const bearer = () => ({ authorization: `Bearer ${app.token}` })
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})
const listTools = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} })

describe.each(eras)('a client of %s', (era) => {
  test('calls tools over HTTP', async () => {
    await using agent = await connectHttp(mcp, app.token, era)
    const { text } = await agent.call('find_error_issues')
    expect(text).toContain('1 unresolved error issue')
  })

  test('sees less under a narrower address', async () => {
    await using agent = await connectHttp(`${mcp}/readonly/p/${app.productId}`, app.token, era)
    const listed = await agent.list()
    expect(listed.map(({ name }) => name)).not.toContain('set_error_issue_status')
    for (const { inputSchema } of listed) expect(inputSchema.properties).not.toHaveProperty('product')
    expect((await agent.call('find_error_issues')).text).toContain('1 unresolved')
  })

  test('sees less with a narrowing header', async () => {
    await using agent = await connectHttp(mcp, app.token, era, { 'X-MCP-Readonly': 'true' })
    expect((await agent.list()).map(({ name }) => name)).not.toContain('set_error_issue_status')
  })

  test('hears at once of a call that breaks off before its answer', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const { promise: release, resolve: finish } = Promise.withResolvers<void>()
    const send: Send = async (wire) => {
      arrive()
      await release
      return app.service.direct(wire)
    }
    const apiFor = (token: string) => createApi({ baseUrl: origin, token, send })
    await using own = await serveMcp(app, { apiFor, verify: () => Promise.resolve() })
    const between = await startBalancer([own.base])
    await using agent = await connectHttp(`${between.base}/mcp`, app.token, era)
    const outcome = agent.call('find_error_issues').then(() => 'answered', String)
    await arrived
    // Whatever is sent before the answer has been sent by then.
    for (let turns = 0; turns < 100; turns += 1) await nextTurn()
    await between[Symbol.asyncDispose]()
    expect(await outcome).toMatch(/fetch failed|terminated/)
    finish()
  })
})

test('a narrowed list is not cached for other callers', async () => {
  await using agent = await connectHttp(`${mcp}/readonly`, app.token, '2026-07-28')
  expect(await agent.client.listTools()).toMatchObject({ cacheScope: 'private' })
})

test.each([
  ['no header', {}, 'Bearer realm="tracegate"'],
  ['another scheme', { authorization: 'Basic abc' }, 'Bearer realm="tracegate"'],
  [
    'a wrong token',
    { authorization: `Bearer tg_${'x'.repeat(40)}` },
    'Bearer realm="tracegate", error="invalid_token"',
  ],
])('%s is refused with 401 and a challenge', async (_, headers, challenge) => {
  for (const body of [initialize, listTools]) {
    const answer = await raw('/mcp', { headers, body })
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toBe(challenge)
  }
})

test('a foreign host name or origin is refused with 403, even with a valid token', async () => {
  expect((await raw('/mcp', { headers: { ...bearer(), host: 'evil.example' }, body: listTools })).status).toBe(403)
  expect(
    (await raw('/mcp', { headers: { ...bearer(), origin: 'https://evil.example' }, body: listTools })).status,
  ).toBe(403)
})

test('host names can be allowed', async () => {
  await using named = await serveMcp(app, { allowedHosts: ['quality.example'] })
  const port = new URL(named.base).port
  const ask = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request({ port, path: '/mcp', method: 'POST', headers: { host } }, ({ statusCode }) =>
        resolve(statusCode),
      )
      outgoing.on('error', reject)
      outgoing.end()
    })
  expect(await ask('quality.example:8443')).toBe(401)
  expect(await ask('127.0.0.1')).toBe(403)
})

test('a body over 4 MiB is refused with 413, and the next request works', async () => {
  const body = Buffer.alloc(5 * 1024 * 1024, 0x20)
  expect((await raw('/mcp', { headers: bearer(), body })).status).toBe(413)
  expect((await raw('/mcp', { headers: bearer(), body: initialize })).status).toBe(200)
})

test('a body that is not JSON is refused with 400', async () => {
  const answer = await raw('/mcp', { headers: bearer(), body: '{"jsonrpc"' })
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body)).toMatchObject({ error: { code: -32_700 } })
})

test.each([
  ['the body', (nested: string) => nested],
  ['the arguments of a call', (nested: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${nested}}`],
])('lists nested too deeply in %s are refused with 400', async (_, bodyOf) => {
  const body = bodyOf('['.repeat(200_000) + ']'.repeat(200_000))
  const answer = await raw('/mcp', { headers: bearer(), body })
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body)).toMatchObject({ error: { code: -32_700 } })
})

test('a disconnect in the middle of a body is not logged', async () => {
  const { promise: verified, resolve: verify } = Promise.withResolvers<void>()
  await using own = await serveMcp(app, { verify: async () => verify() })
  const socket = connect(Number(new URL(own.base).port), '127.0.0.1')
  const headers = ['Host: 127.0.0.1', `Authorization: Bearer ${app.token}`, 'Content-Length: 5000']
  socket.write(`POST /mcp HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n{"a":`)
  await verified
  socket.destroy()
  await own.handled()
  expect(own.errors).toEqual([])
})

test('a token has a bounded number of concurrent requests, independent of other callers', async () => {
  const { promise: release, resolve: finish } = Promise.withResolvers<void>()
  const { promise: bothArrived, resolve: arrive } = Promise.withResolvers<void>()
  let arrived = 0
  const send: Send = async (wire) => {
    arrived += 1
    if (arrived === 2) arrive()
    await release
    return app.service.direct(wire)
  }
  const apiFor = (token: string) => createApi({ baseUrl: origin, token, send })
  await using own = await serveMcp(app, { apiFor, verify: () => Promise.resolve(), perToken: 2 })
  const post = (token: string) =>
    fetch(`${own.base}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: initialize })

  await using first = await connectHttp(`${own.base}/mcp`, app.token, '2026-07-28')
  await using second = await connectHttp(`${own.base}/mcp`, app.token, '2026-07-28')
  const calls = [first, second].map((agent) => agent.call('find_error_issues'))
  await bothArrived
  const refused = await post(app.token)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect((await post('tg_other')).status).not.toBe(429)
  finish()
  for (const { text } of await Promise.all(calls)) expect(text).toContain('1 unresolved')
  expect((await post(app.token)).status).not.toBe(429)
})

test('an unknown address is refused with 404', async () => {
  expect((await raw('/mcp/elsewhere', { headers: bearer(), body: listTools })).status).toBe(404)
})

async function openSession(headers: Record<string, string>, path = '/mcp'): Promise<string> {
  const { status, headers: answered } = await raw(path, { headers, body: initialize })
  expect(status).toBe(200)
  return String(answered['mcp-session-id'])
}

test('a session answers only the token and the address that opened it', async () => {
  const id = await openSession(bearer())
  const own = await raw('/mcp', { headers: { ...bearer(), 'mcp-session-id': id }, body: listTools })
  expect(own.status).toBe(200)
  const other = await tokenHeaders(app)
  expect((await raw('/mcp', { headers: { ...other, 'mcp-session-id': id }, body: listTools })).status).toBe(404)
  expect((await raw('/mcp/readonly', { headers: { ...bearer(), 'mcp-session-id': id }, body: listTools })).status).toBe(
    404,
  )
  const wider = await openSession(bearer(), '/mcp/readonly')
  expect((await raw('/mcp', { headers: { ...bearer(), 'mcp-session-id': wider }, body: listTools })).status).toBe(404)
})

test('DELETE ends a session', async () => {
  const id = await openSession(bearer())
  const ended = await raw('/mcp', { method: 'DELETE', headers: { ...bearer(), 'mcp-session-id': id } })
  expect(ended.status).toBe(200)
  expect((await raw('/mcp', { headers: { ...bearer(), 'mcp-session-id': id }, body: listTools })).status).toBe(404)
})

test('a session ends after half an hour without use', async () => {
  let now = Date.UTC(2026, 10, 21)
  await using timed = await serveMcp(app, { now: () => now })
  const ask = async (id?: string) => {
    const headers = { ...bearer(), 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const session: Record<string, string> = id === undefined ? {} : { 'mcp-session-id': id }
    const answer = await fetch(`${timed.base}/mcp`, {
      method: 'POST',
      headers: { ...headers, ...session },
      body: id === undefined ? initialize : listTools,
    })
    await answer.text()
    return answer
  }
  const id = (await ask()).headers.get('mcp-session-id') ?? ''
  now += 29 * 60_000
  expect((await ask(id)).status).toBe(200)
  now += 29 * 60_000
  expect((await ask(id)).status).toBe(200)
  now += 31 * 60_000
  expect((await ask(id)).status).toBe(404)
})

test('a token has a bounded number of sessions: the least recently used one ends first', async () => {
  const first = await openSession(bearer())
  for (let count = 0; count < 50; count += 1) await openSession(bearer())
  expect((await raw('/mcp', { headers: { ...bearer(), 'mcp-session-id': first }, body: listTools })).status).toBe(404)
})

test('a valid token is checked at most once a minute, an invalid one every time', async () => {
  let now = Date.UTC(2026, 10, 21)
  let checks = 0
  await using counted = await serveMcp(app, {
    now: () => now,
    verify: (token) => {
      checks += 1
      return token === app.token ? Promise.resolve() : Promise.reject(new ServiceError('unauthenticated', 'no'))
    },
  })
  const ask = async (token: string) => {
    const answer = await fetch(`${counted.base}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '{}',
    })
    await answer.text()
    return answer.status
  }
  await ask(app.token)
  await ask(app.token)
  expect(checks).toBe(1)
  now += 61_000
  await ask(app.token)
  expect(checks).toBe(2)
  expect(await ask('bad')).toBe(401)
  expect(await ask('bad')).toBe(401)
  expect(checks).toBe(4)
})

test('if the service cannot check a token the response is 503 without the reason', async () => {
  await using down = await serveMcp(app, {
    verify: () => Promise.reject(new ServiceError('unavailable', 'db at /srv/secret')),
  })
  const answer = await fetch(`${down.base}/mcp`, { method: 'POST', headers: bearer(), body: '{}' })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('5')
  expect(await answer.text()).not.toContain('/srv/secret')
  expect(down.errors).toHaveLength(1)
})

test('each caller acts with its own token', async () => {
  const reader = (await tokenHeaders(app, { scopes: ['read'] })).authorization.slice('Bearer '.length)
  await using agent = await connectHttp(mcp, reader, '2026-07-28')
  const { text, isError } = await agent.call('set_error_issue_status', {
    issues: ['APP-1'],
    status: 'ignored',
    reason: 'r',
  })
  expect(isError).toBe(true)
  expect(text).toContain('(permission_denied, not retryable)')
})

test('none of these requests was logged as a fault of the server', () => {
  expect(server.errors).toEqual([])
})
