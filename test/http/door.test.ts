import { request, type IncomingMessage, type RequestOptions } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { replyText, type Send, type WireRequest } from '../../src/contract/base/wire.ts'
import { createDoor, type DoorOptions } from '../../src/http/door.ts'
import type { Entry } from '../../src/log.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const echo: Send = async ({ method, url, headers, body }) => {
  const text = body === undefined ? '' : await replyText({ status: 200, headers: {}, body })
  return {
    status: 200,
    headers: { 'x-echo': 'yes' },
    body: JSON.stringify({ method, url, text, type: headers['content-type'] }),
  }
}

async function door(options: Partial<DoorOptions> = {}) {
  const logged: Entry[] = []
  const server = createDoor({
    mcp: (_, outgoing) => void outgoing.end('mcp'),
    service: echo,
    allowedHosts: ['127.0.0.1', 'localhost', 'quality.example'],
    version: '1.2.3',
    log: (entry) => void logged.push(entry),
    ...options,
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  cleanups.push(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  const { port } = server.address() as AddressInfo
  return { port, logged, origin: `http://127.0.0.1:${String(port)}` }
}

interface Reply {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

function ask(port: number, path: string, options: RequestOptions = {}, body?: string | Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, agent: false, ...options }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text: Buffer.concat(chunks).toString() }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

test('the service receives method, absolute URL, headers and the streamed body', async () => {
  const { port, origin } = await door()
  const reply = await ask(port, '/v1/x?y=1', { method: 'POST', headers: { 'content-type': 'text/plain' } }, 'hello')
  expect(reply).toMatchObject({ status: 200, headers: { 'x-echo': 'yes' } })
  expect(JSON.parse(reply.text)).toEqual({
    method: 'POST',
    url: `${origin}/v1/x?y=1`,
    text: 'hello',
    type: 'text/plain',
  })
})

test.each(['/v1/x', '/uploads/x', '/openapi.json', '/api/1/envelope/', '//api/1/store/'])(
  '%s reaches the service',
  async (path) => {
    const { port } = await door()
    expect((await ask(port, path)).headers['x-echo']).toBe('yes')
  },
)

test('an unknown path is a 404 in the format of the service', async () => {
  const { port } = await door()
  const reply = await ask(port, '/admin')
  expect(reply.status).toBe(404)
  expect(JSON.parse(reply.text)).toMatchObject({ code: 5, details: [{ reason: 'NOT_FOUND', domain: 'tracegate' }] })
})

test('without an embedded service only MCP and the probe are served', async () => {
  const server = createDoor({
    mcp: (_, outgoing) => void outgoing.end('mcp'),
    allowedHosts: ['127.0.0.1'],
    version: '1',
    log: () => undefined,
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  cleanups.push(() => new Promise((done) => server.close(done)))
  const { port } = server.address() as AddressInfo
  const statuses = await Promise.all(['/mcp', '/healthz', '/v1/x', '/api/1/store/'].map((path) => ask(port, path)))
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 404, 404])
})

test('the probe returns the version for any host name', async () => {
  const { port } = await door()
  const reply = await ask(port, '/healthz', { headers: { host: '10.0.0.7:4319' } })
  expect(JSON.parse(reply.text)).toEqual({ status: 'ok', version: '1.2.3' })
})

test('the probe of readiness says whether the service can serve, and why not', async () => {
  let problem: string | undefined
  const { port } = await door({ readinessProblem: () => Promise.resolve(problem) })
  expect(await ask(port, '/readyz')).toMatchObject({ status: 200, text: '{"status":"ready"}' })
  problem = 'the database does not answer'
  expect(await ask(port, '/readyz')).toMatchObject({
    status: 503,
    text: '{"status":"not ready","problem":"the database does not answer"}',
  })
})

test('the probe proves its address to a sender of a nonce', async () => {
  const prove = (nonce: string, port: number) => `${nonce} at ${String(port)}`
  const nonce = 'a'.repeat(32)
  const ownPort = await door({ prove })
  const direct = await ask(ownPort.port, `/healthz?nonce=${nonce}`)
  expect(JSON.parse(direct.text)).toMatchObject({ status: 'ok', proof: `${nonce} at ${String(ownPort.port)}` })
  const proxied = await door({ prove, origin: 'https://quality.example' })
  expect(JSON.parse((await ask(proxied.port, `/healthz?nonce=${nonce}`)).text)).toMatchObject({
    proof: `${nonce} at 443`,
  })
  for (const path of ['/healthz', '/healthz?nonce=short', `/healthz?nonce=${'a'.repeat(200)}`]) {
    expect(JSON.parse((await ask(ownPort.port, path)).text)).not.toHaveProperty('proof')
  }
})

test.each(['evil.example', 'evil.example:4319', 'localhost.evil.example', '127.0.0.1@evil.example', 'localhost/'])(
  'REST under the host name %j is refused, ingest is not',
  async (host) => {
    const { port } = await door()
    const reply = await ask(port, '/v1/x', { headers: { host } })
    expect(reply.status).toBe(403)
    expect(reply.text).toContain('HOST_NOT_ALLOWED')
    expect((await ask(port, '/api/1/envelope/', { headers: { host } })).status).toBe(200)
  },
)

test.each([
  ['https://evil.example', 403, 200],
  ['null', 403, 200],
  ['http://localhost:3000', 200, 200],
])('a web page of %s gets %i from REST and %i from ingest', async (origin, rest, ingest) => {
  const { port } = await door()
  expect((await ask(port, '/v1/x', { headers: { origin } })).status).toBe(rest)
  expect((await ask(port, '/api/1/store/', { headers: { origin } })).status).toBe(ingest)
})

test.each(['/v1/x', '/mcp', '/api/1/envelope/', '/healthz'])('%s with two Host headers is refused', async (path) => {
  const { port } = await door()
  const socket = connect(port, '127.0.0.1')
  socket.end(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n`)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*more than one Host header/s)
})

test('a request to the public host name gets the public origin, also with an absolute request line', async () => {
  const { port, origin } = await door({ origin: 'https://quality.example' })
  const serverUrl = async (path: string, host: string) =>
    (JSON.parse((await ask(port, path, { headers: { host } })).text) as { url: string }).url
  expect(await serverUrl('/v1/x', 'quality.example')).toBe('https://quality.example/v1/x')
  expect(await serverUrl('/v1/x', `127.0.0.1:${String(port)}`)).toBe(`${origin}/v1/x`)
  expect(await serverUrl('http://quality.example/v1/x?a=b', 'evil.example')).toBe('https://quality.example/v1/x?a=b')
})

test('HEAD returns the same as GET without the body', async () => {
  const { port } = await door()
  const [get, head] = [await ask(port, '/v1/x'), await ask(port, '/v1/x', { method: 'HEAD' })]
  expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': get.headers['content-length'] } })
})

test('204 has neither a body nor a content length', async () => {
  const { port } = await door({ service: async () => ({ status: 204, headers: {}, body: '' }) })
  const reply = await ask(port, '/api/1/envelope/', { method: 'OPTIONS' })
  expect(reply.headers['content-length']).toBeUndefined()
})

test('a streamed reply arrives in pieces, and ends when the caller disconnects', async () => {
  const end = Promise.withResolvers<string>()
  async function* forever() {
    try {
      for (;;) {
        yield Buffer.from('x'.repeat(1000))
        await new Promise((next) => setImmediate(next))
      }
    } finally {
      end.resolve('stopped')
    }
  }
  const { port, logged } = await door({ service: async () => ({ status: 200, headers: {}, body: forever() }) })
  const sent = request({ host: '127.0.0.1', port, path: '/v1/x' }, (reply) => {
    reply.once('data', () => sent.destroy())
    reply.on('error', () => undefined)
  })
  sent.on('error', () => undefined)
  sent.end()
  expect(await end.promise).toBe('stopped')
  expect(logged).toEqual([])
})

test('the signal aborts when the caller disconnects', async () => {
  const told = Promise.withResolvers<string>()
  const { port } = await door({
    service: ({ signal }) => new Promise(() => signal?.addEventListener('abort', () => told.resolve('gone'))),
  })
  const socket = connect(port, '127.0.0.1', () => {
    socket.write('GET /v1/x HTTP/1.1\r\nHost: localhost\r\n\r\n')
    setImmediate(() => socket.destroy())
  })
  expect(await told.promise).toBe('gone')
})

test('the signal has aborted when it is asked for after the caller disconnected', async () => {
  const told = Promise.withResolvers<boolean | undefined>()
  const { port } = await door({
    async service(request) {
      const body = request.body as AsyncIterable<Uint8Array>
      // Ends with an error, because the rest never comes.
      await Array.fromAsync(body).catch(() => told.resolve(request.signal?.aborted))
      return { status: 200, headers: {}, body: '' }
    },
  })
  const socket = connect(port, '127.0.0.1', () => {
    socket.write('POST /v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhi')
    setImmediate(() => socket.destroy())
  })
  expect(await told.promise).toBe(true)
})

/** Takes a little of the body, then refuses, as a limit does. */
const refuseEarly: Send = async ({ body }: WireRequest) => {
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) if (chunk.byteLength > 0) break
  return { status: 413, headers: {}, body: '{"detail":"too large"}' }
}

test('a body that is refused part-way still gets its reply, then the connection closes', async () => {
  const { port, logged } = await door({ service: refuseEarly })
  const reply = await ask(port, '/api/1/envelope/', { method: 'POST' }, Buffer.alloc(3_000_000, 'x'))
  expect(reply).toMatchObject({ status: 413, text: '{"detail":"too large"}', headers: { connection: 'close' } })
  expect(logged).toEqual([])
})

test('a peer that keeps sending after the refusal is disconnected', async () => {
  const { port } = await door({ service: refuseEarly })
  const socket = connect(port, '127.0.0.1')
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => undefined)
  socket.resume()
  socket.write('POST /api/1/envelope/ HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n')
  const more = () => {
    while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'x')));
  }
  socket.on('drain', more)
  more()
  await closed
  expect(socket.destroyed).toBe(true)
})

test('the connection stays open after a request whose body was read', async () => {
  const { port } = await door()
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
  const two = new Promise<void>((resolve) =>
    socket.on('data', () => (received.match(/HTTP\/1\.1 200/g)?.length === 2 ? resolve() : undefined)),
  )
  const post = 'POST /v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi'
  socket.write(post + post)
  await two
  expect(received).not.toMatch(/connection: close/i)
  socket.destroy()
})

test('details of a bug go to the log only', async () => {
  const { port, logged } = await door({
    service: () => Promise.reject(new Error('the hidden reason')),
  })
  const reply = await ask(port, '/v1/x')
  expect(reply.status).toBe(500)
  expect(reply.text).not.toContain('hidden')
  expect(logged).toMatchObject([{ level: 'error', error: expect.stringContaining('the hidden reason') as string }])
})
