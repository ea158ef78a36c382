import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import zlib from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { networkSend, type NetworkOptions } from '../../src/client/transport.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const rows = { workspaces: Array.from({ length: 50 }, (_, n) => ({ id: `w${String(n)}` })) }
const json = Buffer.from(JSON.stringify(rows))

async function apiOf(answer: RequestListener, options: NetworkOptions = {}) {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const send = networkSend(options)
  cleanups.push(
    () => server.close(),
    () => send.close(),
  )
  const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  return createApi({ send, baseUrl, token: 't', sleep: () => Promise.resolve() })
}

function encoded(bytes: Uint8Array, encoding: string, status = 200): RequestListener {
  return (_, reply) => void reply.writeHead(status, { 'content-encoding': encoding }).end(bytes)
}

test.each([
  ['gzip', zlib.gzipSync(json)],
  ['GZIP', zlib.gzipSync(json)],
  ['x-gzip', zlib.gzipSync(json)],
  ['deflate', zlib.deflateSync(json)],
  ['deflate', zlib.deflateRawSync(json)],
  ['br', zlib.brotliCompressSync(json)],
  ['zstd', zlib.zstdCompressSync(json)],
  ['identity', json],
  ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(json))],
])('an answer in %s is read', async (encoding, bytes) => {
  const api = await apiOf(encoded(bytes, encoding))
  expect((await api.listWorkspaces({})).workspaces).toEqual(rows.workspaces)
})

test('the request names the encodings that are read', async () => {
  let accepted: unknown
  const api = await apiOf(({ headers }, reply) => {
    accepted = headers['accept-encoding']
    reply.end(json)
  })
  await api.listWorkspaces({})
  expect(accepted).toBe('gzip, deflate, br, zstd')
})

test.each([
  ['an unknown encoding', json, 'compress', 'an encoding that was not asked for'],
  ['more encodings than anybody uses', json, 'gzip, gzip, gzip, gzip', 'an encoding that was not asked for'],
  ['bytes that are not compressed', json, 'gzip', 'not compressed as it says'],
  ['a bomb', zlib.gzipSync(Buffer.alloc(200_000, ' ')), 'gzip', 'too large when unpacked'],
  ['a bomb in a bomb', zlib.gzipSync(zlib.gzipSync(Buffer.alloc(200_000))), 'gzip, gzip', 'too large when unpacked'],
])('%s is refused by name', async (_, bytes, encoding, words) => {
  const api = await apiOf(encoded(bytes, encoding), { maxReplyBytes: 100_000 })
  await expect(api.listWorkspaces({})).rejects.toMatchObject({
    code: 'upstream_shape_unknown',
    message: expect.stringContaining(words) as string,
  })
})

test('a compressed answer that is cut off is read again', async () => {
  let sent = 0
  const api = await apiOf((request, reply) => {
    const bytes = zlib.gzipSync(json)
    encoded(++sent === 1 ? bytes.subarray(0, 40) : bytes, 'gzip')(request, reply)
  })
  expect((await api.listWorkspaces({})).workspaces).toHaveLength(50)
  expect(sent).toBe(2)
})

test('a compressed error is judged by its body', async () => {
  const body = zlib.gzipSync('{"code":5,"details":[{"reason":"ISSUE_NOT_FOUND"}]}')
  const api = await apiOf(encoded(body, 'gzip', 404))
  await expect(api.getIssue({ id: 'i' })).rejects.toMatchObject({ code: 'not_found', reason: 'ISSUE_NOT_FOUND' })
})
