import { once } from 'node:events'

import { connect, type AddressInfo, type Socket } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import type { Send } from '../../src/contract/base/wire.ts'
import { createDoor, type DoorOptions } from '../../src/http/door.ts'
import { requestEnvelope } from '../../src/mcp/opening/read.ts'
import { createMcpHttp, type McpHttpOptions } from '../../src/mcp/http/index.ts'
import { origin, startApp, type App } from '../app.ts'
import { connectHttp } from '../mcp/http/http-server.ts'

let app: App
/** The ports of a door with the usual limits, and of one that waits for seconds at most. */
let usual: number
let hasty: number
const logged: unknown[] = []
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  app = await startApp()
  await app.ingest({})
  usual = await openDoor({ pages: { has: (segment) => segment === 'board', answer: seen } })
  const intake = { bytes: 48e6, bytesPerOwner: 32e6, timeoutMs: 2_000, graceMs: 2_000, bytesPerSecond: 1024 }
  hasty = await openDoor({ headersTimeoutMs: 1_000 }, { intake })
})

/** A page that shows what it was asked for. */
const seen: Send = ({ url, headers }) =>
  Promise.resolve({ status: 200, headers: {}, body: `${url} of ${String(headers['host'])}` })

/** A door as `serve` opens it, before the real service. */
async function openDoor(limits: Partial<DoorOptions>, mcpLimits: Partial<McpHttpOptions> = {}): Promise<number> {
  const mcp = createMcpHttp({
    apiFor: (token) => createApi({ send: app.service.direct, baseUrl: origin, token, via: 'mcp' }),
    options: { toolsets: ['default'], readOnly: false },
    version: '1',
    onError: (error) => logged.push(error),
    ...mcpLimits,
  })
  const server = createDoor({
    mcp,
    service: app.service.handle,
    allowedHosts: ['127.0.0.1', 'localhost'],
    version: '1',
    log: (entry) => void logged.push(entry),
    connectionLimits: { connections: 1_500, connectionsPerAddress: 64 },
    ...limits,
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  closing.push(async () => {
    await mcp.close()
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return (server.address() as AddressInfo).port
}

afterAll(async () => {
  for (const close of closing) await close()
  await app.close()
})

/** A connection, and what came back on it until it was closed. */
function open(port = usual): { socket: Socket; answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  socket.on('error', () => undefined)
  const answer = once(socket, 'close').then(() => text)
  return { socket, answer }
}

/** Sends bytes as they are and reads until the server closes. */
async function sent(...pieces: (string | Buffer)[]): Promise<string> {
  return sentTo(usual, ...pieces)
}

async function sentTo(port: number, ...pieces: (string | Buffer)[]): Promise<string> {
  const { socket, answer } = open(port)
  for (const piece of pieces) socket.write(piece)
  return answer
}

const status = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code))

const bearer = () => `Authorization: Bearer ${app.token}\r\n`
const head = (path: string, more = '', method = 'POST') =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${more}\r\n`

const listTools = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} })

/** A client that behaves gets its answers meanwhile and afterwards. */
async function callsGoOn(meanwhile: () => Promise<void>, port = usual): Promise<void> {
  await using agent = await connectHttp(`http://127.0.0.1:${String(port)}/mcp`, app.token, '2026-07-28')
  let isOver = false
  async function calls() {
    do {
      expect((await agent.call('find_error_issues')).text).toContain('1 unresolved error issue')
    } while (!isOver)
  }
  await Promise.all([meanwhile().finally(() => (isOver = true)), calls()])
  await calls()
}

test.each([
  ['evil.example', undefined],
  ['127.0.0.1.evil.example', undefined],
  ['localhost:80@evil.example', undefined],
  ['', undefined],
  ['127.0.0.1', 'https://evil.example'],
  ['127.0.0.1', 'null'],
  ['127.0.0.1', 'http://localhost.evil.example'],
  ['127.0.0.1', 'file://'],
])('the host %j with the origin %j gets 403 from MCP and REST', async (host, page) => {
  for (const path of ['/mcp', '/v1/auth/me', '/openapi.json']) {
    const originLine = page === undefined ? '' : `Origin: ${page}\r\n`
    const answer = await sent(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${bearer()}${originLine}\r\n`,
    )
    expect(status(answer)).toBe(403)
    expect(answer).not.toMatch(/access-control-allow/i)
  }
})

const asked = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: { _meta: requestEnvelope({ name: 'test', version: '1' }) },
})
const modern = 'MCP-Protocol-Version: 2026-07-28\r\nMCP-Method: tools/list\r\n'
const post = (body: string) =>
  `Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`

/** Method and path of a request to each surface, what follows the token, and whether it is for any host. */
const surfaces: readonly [line: string, rest: string, anyHost: boolean][] = [
  ['POST /mcp', modern + post(asked), false],
  ['POST /mcp/readonly', modern + post(asked), false],
  ['GET /v1/auth/me', '\r\n', false],
  ['GET /openapi.json', '\r\n', false],
  ['GET /board?next=http://a', '\r\n', false],
  ['POST /api/1/envelope/', post('{}'), true],
  ['GET /healthz', '\r\n', true],
]
test.each(surfaces)(
  '%s is the same with an absolute target, whose host counts instead of Host',
  async (line, rest, anyHost) => {
    const [method = '', path = ''] = line.split(' ')
    const ask = async (target: string, host: string) => {
      const answer = await sent(
        `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${bearer()}${rest}`,
      )
      return answer.replaceAll(/^(?:date|mcp-session-id|x-request-id|ratelimit.*): .*\r\n/gim, '')
    }
    const usualAnswer = await ask(path, '127.0.0.1')
    expect(status(usualAnswer)).toBe(path.startsWith('/api') ? 401 : 200)
    for (const origin of ['http://127.0.0.1', 'HTTP://127.0.0.1']) {
      expect(await ask(`${origin}${path}`, 'evil.example')).toBe(usualAnswer)
    }
    const refused = await ask(`http://evil.example${path}`, '127.0.0.1')
    expect(status(refused)).toBe(anyHost ? status(usualAnswer) : 403)
  },
)

/** A path, and the status without a token: none leads to another surface or to a file. */
const paths: readonly [path: string, status: number][] = [
  ['//mcp', 404],
  ['/mcp/../v1/auth/me', 404],
  ['/mcp/..%2fv1/auth/me', 404],
  ['/mcp/%2e%2e/v1/auth/me', 404],
  ['/mcp/p/%2e%2e', 401],
  ['/mcp/p/..%2f..%2fv1', 401],
  ['/mcp%2freadonly', 404],
  ['/%6dcp', 404],
  ['/mcp%00', 404],
  ['/mcp/%00', 404],
  ['/mcp/p/%00', 401],
  ['/mcp/p/%ff', 404],
  ['/mcp\\..\\v1', 404],
  ['/v1/../mcp', 404],
  ['/v1/%2e%2e/%2e%2e/etc/passwd', 404],
  ['/v1/issues/..%2f..%2fproducts', 400],
  ['/api/../v1/auth/me', 404],
  ['http://127.0.0.1/mcp', 401],
  ['http://127.0.0.1/v1/../mcp', 404],
  ['http://evil.example/v1/auth/me', 403],
  ['ftp://127.0.0.1/v1/auth/me', 400],
  ['http://127.0.0.1@evil.example/v1/auth/me', 400],
  ['http://evil.example@127.0.0.1/v1/auth/me', 400],
  ['/uploads/../v1/auth/me', 404],
  ['/uploads/%2e%2e%2f%2e%2e%2fetc%2fpasswd', 404],
]
test.each(paths)('%s without a token is answered with %i', async (path, expected) => {
  const answer = await sent(head(path, '', 'GET'))
  expect({ path, status: status(answer) }).toEqual({ path, status: expected })
  expect(answer).not.toMatch(/root:|node_modules|\bat \//)
})

test('a path of 15,000 characters is answered, and one beyond the limit of headers gets 431', async () => {
  expect(status(await sent(head(`/mcp/p/${'a'.repeat(15_000)}`, '', 'GET')))).toBe(401)
  expect(status(await sent(head(`/mcp/p/${'a'.repeat(20_000)}`, '', 'GET')))).toBe(431)
})

test.each([
  ['both lengths', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n'],
  ['two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n'],
  ['a length that is no number', 'Content-Length: +4\r\n'],
  ['a coding that is not the last', 'Transfer-Encoding: chunked, identity\r\n'],
  ['a coding that hides', 'Transfer-Encoding: xchunked\r\n'],
  ['a blank before the colon', 'Transfer-Encoding : chunked\r\n'],
  ['a line that goes on', 'X: a\r\n Transfer-Encoding: chunked\r\n'],
  ['a line without CR', 'X: a\nTransfer-Encoding: chunked\n'],
  ['a NUL', 'X: a\0b\r\n'],
])('%s: 400, and what follows is no second request', async (_, lines) => {
  const hidden = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'
  const first = `POST /v1/auth/me HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines}\r\n`
  expect(statuses(await sent(`${first}0\r\n\r\n${hidden}`))).toEqual([400])
})

test('bodies that are too large are refused with 413, told or chunked, while a client goes on', () =>
  callsGoOn(async () => {
    const large = Buffer.alloc(5 * 1024 * 1024, 0x20)
    const told = head('/mcp', `${bearer()}Content-Length: ${String(large.byteLength)}\r\n`)
    expect(status(await sent(told, large))).toBe(413)
    const chunks = Array.from({ length: 80 }, () => `10000\r\n${' '.repeat(65_536)}\r\n`)
    expect(status(await sent(head('/mcp', `${bearer()}Transfer-Encoding: chunked\r\n`), ...chunks, '0\r\n\r\n'))).toBe(
      413,
    )
  }))

test('a body that does not come is ended with 408, and so are headers, while a client goes on', () =>
  callsGoOn(async () => {
    const begun = head('/mcp', `${bearer()}Content-Length: 1000\r\n`)
    const slow = Array.from({ length: 20 }, () => sentTo(hasty, begun, '{'))
    const half = Array.from({ length: 20 }, () => sentTo(hasty, 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: '))
    const answers = await Promise.all([...slow, ...half])
    expect(new Set(answers.map(status))).toEqual(new Set([408]))
  }, hasty))

test('too many bytes of headers get 431, so do thousands of names, and hundreds are one request', () =>
  callsGoOn(async () => {
    expect(status(await sent(head('/mcp', `X: ${'a'.repeat(20_000)}\r\n`)))).toBe(431)
    const names = (length: number) => Array.from({ length }, (_, at) => `x${at.toString(36)}: 1\r\n`).join('')
    expect(status(await sent(head('/mcp', names(3_000))))).toBe(431)
    const many = names(500)
    const floods = Array.from({ length: 100 }, () => sent(head('/mcp', many)))
    expect(new Set((await Promise.all(floods)).map(status))).toEqual(new Set([401]))
  }))

test('MCP unpacks nothing, and ingest only as far as its limits, while a client goes on', () =>
  callsGoOn(async () => {
    const bomb = Buffer.from(`{}\n{"type":"event"}\n{"message":"${'x'.repeat(64 * 1024 * 1024)}"}`)
    const packed: [string, Buffer][] = [
      ['gzip', gzipSync(bomb)],
      ['br', brotliCompressSync(bomb)],
    ]
    for (const [coding, body] of packed) {
      const lines = `Content-Encoding: ${coding}\r\nContent-Length: ${String(body.byteLength)}\r\n`
      expect(status(await sent(head('/mcp', bearer() + lines), body))).toBe(400)
      const address = `/api/${app.productId}/envelope/?svc_key=${app.publicKey}`
      expect(status(await sent(head(address, lines), body))).toBe(413)
    }
    const small = gzipSync(listTools)
    const lines = `Content-Encoding: gzip\r\nContent-Length: ${String(small.byteLength)}\r\n`
    expect(status(await sent(head('/mcp', bearer() + lines), small))).toBe(400)
  }))

test('a thousand idle connections keep nobody out', () =>
  callsGoOn(async () => {
    const idle = await Promise.all(
      Array.from({ length: 1_000 }, async () => {
        const { socket } = open()
        await once(socket, 'connect')
        return socket
      }),
    )
    expect(status(await sent(head('/healthz', '', 'GET')))).toBe(200)
    for (const socket of idle) socket.destroy()
  }))

test('none of this is a fault of the server in its log', () => {
  expect(logged).toEqual([])
})
