import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createTls } from 'node:tls'
import fc from 'fast-check'
import { http, HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'
import { isPublic } from '../../src/client/upload-address.ts'
import { createUpload, type UploadOptions } from '../../src/client/upload.ts'
import type { WireRequest } from '../../src/contract/base/wire.ts'
import { origin as appOrigin, startApp } from '../app.ts'
import { mockNetwork } from '../mock-network.ts'
import { selfSigned } from '../upstream/faults/certificates.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

interface Storage {
  origin: string
  port: number
  seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[]
}

/** A real loopback server that takes uploads; the answer comes after the whole body. */
async function storage(answer: RequestListener = (_, reply) => void reply.end()): Promise<Storage> {
  const seen: Storage['seen'] = []
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      answer(request, reply)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${String(port)}`, port, seen }
}

const text = 'a source map'
const body = { sizeBytes: text.length, chunks: () => toChunks(text.slice(0, 5), text.slice(5)) }
const signal = new AbortController().signal

// oxlint-disable-next-line typescript/require-await -- an async source that never waits
async function* toChunks(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part)
}

function sendUpload(options: Partial<UploadOptions> & { baseUrl: string }) {
  return createUpload({ sleep: () => Promise.resolve(), ...options })
}

test('the bytes are sent with PUT, exactly the given headers, their length, and no token', async () => {
  const { origin, seen } = await storage()
  const heard: number[] = []
  const target = {
    url: `${origin}/uploads/1?expires=2&signature=3`,
    headers: { 'Content-Type': 'application/json', 'X-A': 'b' },
  }
  await sendUpload({ baseUrl: origin })(target, body, { signal, onSent: (bytes) => heard.push(bytes) })
  const [request] = seen
  expect(request).toMatchObject({ method: 'PUT', url: '/uploads/1?expires=2&signature=3', body: text })
  const { host, connection, ...headers } = request?.headers ?? {}
  expect({ host, connection }).toEqual({ host: new URL(origin).host, connection: 'keep-alive' })
  expect(headers).toEqual({ 'content-type': 'application/json', 'x-a': 'b', 'content-length': '12' })
  expect(heard).toEqual([5, 12])
})

test('the embedded service gets the bytes without a socket', async () => {
  const requests: WireRequest[] = []
  let sent = ''
  const upload = sendUpload({
    baseUrl: 'http://127.0.0.1:4319',
    async send(request) {
      requests.push(request)
      if (request.body !== undefined)
        for await (const chunk of request.body) sent += Buffer.from(chunk as Uint8Array).toString()
      return { status: 200, headers: {}, body: '{}' }
    },
  })
  await upload({ url: 'http://127.0.0.1:4319/uploads/1?signature=2', headers: { 'Content-Type': 'a/b' } }, body, {
    signal,
  })
  expect(sent).toBe(text)
  expect(requests).toMatchObject([{ method: 'PUT', headers: { 'content-type': 'a/b', 'content-length': '12' } }])
  await expect(upload({ url: 'http://127.0.0.1:9000/uploads/1', headers: {} }, body, { signal })).rejects.toMatchObject(
    {
      code: 'upstream_shape_unknown',
    },
  )
})

test('the service accepts an address until it expires, and refuses it when it was changed', async () => {
  let now = Date.UTC(2026, 10, 21)
  await using app = await startApp({ platform: { now: () => now } })
  const request = { product_id: app.productId, file_name: 'app.js.map', release: '1', size_bytes: text.length }
  const { upload_url: url = '', upload_headers: headers = {} } = await app.api.createSourceMap(request)
  const upload = sendUpload({ baseUrl: appOrigin, send: app.service.direct })
  const refusal = { code: 'failed_precondition', message: expect.stringContaining('has expired') as string }
  await expect(upload({ url: url.replace('max=', 'max=9'), headers }, body, { signal })).rejects.toMatchObject(refusal)
  await upload({ url, headers }, body, { signal })
  now += 2 * 3_600_000
  await expect(upload({ url, headers }, body, { signal })).rejects.toMatchObject(refusal)
})

test.each([
  [302, 'upstream_shape_unknown', 'a redirect, which is not followed'],
  [307, 'upstream_shape_unknown', 'a redirect, which is not followed'],
  [400, 'failed_precondition', 'the storage refused it'],
  [401, 'failed_precondition', 'the address has expired'],
  [403, 'failed_precondition', 'the address has expired'],
  [404, 'not_found', 'the address no longer exists'],
  [409, 'aborted', 'it has already been confirmed'],
  [413, 'payload_too_large', 'larger than the deployment allows'],
  [501, 'unavailable', 'failed with status 501'],
])(
  'an upload that gets status %i fails as %s, without a retry and without text from the response',
  async (status, code, message) => {
    const other = await storage()
    const { origin, seen } = await storage((_, reply) => {
      reply.writeHead(status, { location: `${other.origin}/elsewhere` }).end('<Error>run this</Error>')
    })
    await expect(
      sendUpload({ baseUrl: origin })({ url: `${origin}/u`, headers: {} }, body, { signal }),
    ).rejects.toMatchObject({
      code,
      message: expect.stringMatching(new RegExp(`${message}(?!.*run this)`)) as string,
    })
    expect([seen.length, other.seen.length]).toEqual([1, 0])
  },
)

test('an upload that breaks off or meets a busy storage is sent again from the beginning', async () => {
  let answers = 0
  const { origin, seen } = await storage((request, reply) => {
    answers += 1
    if (answers === 1) request.socket.destroy()
    else reply.writeHead(answers === 2 ? 503 : 200).end()
  })
  await sendUpload({ baseUrl: origin })({ url: `${origin}/u`, headers: {} }, body, { signal })
  expect(seen.map((request) => request.body)).toEqual([text, text, text])
})

test('an upload fails after its retries when the storage does not recover', async () => {
  const { origin, seen } = await storage((_, reply) => void reply.writeHead(503).end())
  const upload = sendUpload({ baseUrl: origin, retries: 1 })
  await expect(upload({ url: `${origin}/u`, headers: {} }, body, { signal })).rejects.toMatchObject({
    code: 'unavailable',
  })
  expect(seen).toHaveLength(2)
})

test('an upload fails when the storage does not respond', async () => {
  const { origin } = await storage(() => {})
  const upload = sendUpload({ baseUrl: origin, retries: 0, timeoutMs: 50 })
  await expect(upload({ url: `${origin}/u`, headers: {} }, body, { signal })).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the upload failed (UND_ERR_HEADERS_TIMEOUT)',
  })
})

test.each([
  ['a line break in a value', { 'x-a': 'b\r\nc: d' }],
  ['a value that is not latin', { 'x-a': '\u2192' }],
  ['a name that is none', { 'bad name': 'b' }],
  ['a header of the connection', { 'Keep-Alive': 'timeout=5' }],
])('an upload with %s is refused at once, because no repetition could send it', async (_, headers) => {
  const { origin, seen } = await storage()
  let repetitions = 0
  const sleep = () => Promise.resolve(void (repetitions += 1))
  const upload = sendUpload({ baseUrl: origin, sleep })({ url: `${origin}/u`, headers }, body, { signal })
  await expect(upload).rejects.toMatchObject({ code: 'upstream_shape_unknown' })
  expect([seen.length, repetitions]).toEqual([0, 0])
})

test('an upload over a connection that cannot be trusted is not repeated, and says what to change', async () => {
  const server = createTls(selfSigned('localhost'))
  let connections = 0
  server.on('connection', () => (connections += 1))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => server.close())
  const origin = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const upload = sendUpload({ baseUrl: origin })({ url: `${origin}/u`, headers: {} }, body, { signal })
  await expect(upload).rejects.toMatchObject({
    code: 'misconfigured',
    message: expect.stringMatching(/^no secure connection to the upload address .*NODE_EXTRA_CA_CERTS/) as string,
  })
  expect(connections).toBe(1)
})

test('a cancelled upload rejects with the reason of the signal', async () => {
  const { origin } = await storage(() => {})
  const cancel = new AbortController()
  const reason = new Error('the user went away')
  const upload = sendUpload({ baseUrl: origin })({ url: `${origin}/u`, headers: {} }, body, {
    signal: cancel.signal,
    onSent: () => cancel.abort(reason),
  })
  await expect(upload).rejects.toBe(reason)
})

test.each([
  ['grown', toChunks('a source map', '!')],
  ['shrunk', toChunks('a source')],
])('a file that has %s meanwhile is not sent as if it were the same', async (_, chunks) => {
  const { origin, seen } = await storage()
  const changed = { sizeBytes: text.length, chunks: () => chunks }
  await expect(
    sendUpload({ baseUrl: origin })({ url: `${origin}/u`, headers: {} }, changed, { signal }),
  ).rejects.toMatchObject({
    code: 'failed_precondition',
    message: 'the file changed during the upload: upload it again',
  })
  expect(seen).toEqual([])
})

const deployment = 'https://quality.example'
const lookups: Record<string, string[]> = {
  'quality.example': ['10.1.2.3'],
  'storage.example': ['93.184.216.34'],
  'inside.example': ['10.0.0.7', 'fd00::1', '::ffff:127.0.0.1'],
}
const lookup: UploadOptions['lookup'] = (hostname) =>
  Promise.resolve((lookups[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))

test.each([
  ['http to a public host', 'http://storage.example/u', 'it is not https'],
  ['http to a loopback host', 'http://127.0.0.1:6379/u', 'it is not https'],
  ['http to the configured host', 'http://quality.example/u', 'it is not https'],
  ['another scheme', 'file:///etc/passwd', 'it is not https'],
  ['a user name in it', 'https://user@storage.example/u', 'it contains a user name'],
  ['a host name that resolves to private addresses', 'https://inside.example/u', 'its host is in a private network'],
  ['10.0.0.0/8', 'https://10.20.30.40/u', 'its host is in a private network'],
  ['an address in hexadecimal', 'https://0x0a000001/u', 'its host is in a private network'],
  ['a loopback address', 'https://127.1/u', 'its host is in a private network'],
  ['a loopback address over IPv6', 'https://[::1]/u', 'its host is in a private network'],
  ['a mapped loopback address', 'https://[::ffff:127.0.0.1]/u', 'its host is in a private network'],
  ['a private address behind NAT64', 'https://[64:ff9b::a00:1]/u', 'its host is in a private network'],
  ['the metadata address', 'https://169.254.169.254/latest', 'its host is in a private network'],
  ['the metadata address over IPv6', 'https://[fd00:ec2::254]/latest', 'its host is in a private network'],
  ['an unparsable address', 'uploads/1', 'an invalid upload address'],
])('an upload address of %s is refused before anything is connected', async (_, url, message) => {
  const upload = sendUpload({ baseUrl: deployment, lookup })
  await expect(upload({ url, headers: {} }, body, { signal })).rejects.toMatchObject({
    code: 'upstream_shape_unknown',
    message: expect.stringContaining(message) as string,
  })
})

test.each(['Authorization', 'Cookie', 'Host', 'transfer-encoding'])(
  'the header %s is never sent, whoever asks for it',
  async (name) => {
    const upload = sendUpload({ baseUrl: deployment, lookup })
    const target = { url: 'https://storage.example/u', headers: { [name]: 'x' } }
    await expect(upload(target, body, { signal })).rejects.toMatchObject({ code: 'upstream_shape_unknown' })
  },
)

test('uploads over https reach public storage and the configured host, which may be private', async () => {
  const seen: string[] = []
  const network = mockNetwork(
    http.put('https://*', async ({ request }) => {
      seen.push(`${request.url} ${await request.text()} ${String(request.headers.get('authorization'))}`)
      return new HttpResponse(null, { status: 200 })
    }),
  )
  network.enable()
  cleanups.push(() => network.disable())
  const upload = sendUpload({ baseUrl: deployment, lookup })
  await upload({ url: 'https://storage.example/u?sig=1', headers: {} }, body, { signal })
  await upload({ url: 'https://quality.example/uploads/1', headers: {} }, body, { signal })
  expect(seen).toEqual([
    'https://storage.example/u?sig=1 a source map null',
    'https://quality.example/uploads/1 a source map null',
  ])
})

test('a host name is resolved once; later results are ignored', async () => {
  const { port, seen } = await storage()
  let lookedUp = 0
  const upload = sendUpload({
    baseUrl: 'http://localhost:4319',
    lookup: () => Promise.resolve([{ address: lookedUp++ === 0 ? '127.0.0.1' : '192.0.2.1', family: 4 }]),
  })
  await upload({ url: `http://localhost:${String(port)}/u`, headers: {} }, body, { signal })
  expect([lookedUp, seen.length]).toEqual([1, 1])
  // Only the vetted address is connected, regardless of what the system resolver says.
  const elsewhere = sendUpload({
    baseUrl: 'http://localhost:4319',
    retries: 0,
    lookup: () => Promise.resolve([{ address: '127.0.0.99', family: 4 }]),
  })
  await expect(
    elsewhere({ url: `http://localhost:${String(port)}/u`, headers: {} }, body, { signal }),
  ).rejects.toMatchObject({ message: 'the upload failed (ECONNREFUSED)' })
})

test.each([
  ['1.1.1.1', true],
  ['93.184.216.34', true],
  ['172.15.255.255', true],
  ['172.32.0.0', true],
  ['2606:4700::1111', true],
  ['0.0.0.0', false],
  ['100.100.100.200', false],
  ['168.63.129.16', false],
  ['172.16.0.1', false],
  ['192.168.1.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['::ffff:1.1.1.1', false],
  ['fe80::1', false],
  ['fe80::1%eth0', false],
  ['fc00::1', false],
  ['ff02::1', false],
  ['2002:7f00:1::', false],
  ['2001:db8::1', false],
  ['no address', false],
])('%s is of the public internet: %s', (address, expected) => {
  expect(isPublic(address)).toBe(expected)
})

test('a private IPv4 address is private in every IPv6 notation', () => {
  const octet = fc.integer({ min: 0, max: 255 })
  const privateAddress = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  )
  fc.assert(
    fc.property(privateAddress, (octets) => {
      const hex = octets.map((part) => part.toString(16).padStart(2, '0'))
      const low = `${hex.slice(0, 2).join('')}:${hex.slice(2).join('')}`
      for (const address of [octets.join('.'), `::ffff:${low}`, `::${low}`, `64:ff9b::${low}`, `2002:${low}::1`]) {
        expect(isPublic(address)).toBe(false)
      }
    }),
  )
})
