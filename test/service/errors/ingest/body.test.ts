import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { envelope, EVENT_ID, eventItem, jsonOf, openDoor } from './harness.ts'

const MiB = 1024 * 1024
const plain = envelope({ event_id: EVENT_ID }, eventItem({ message: 'grüße 🎉' }))
const encoders: Record<string, (bytes: Uint8Array) => Buffer> = {
  gzip: zlib.gzipSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
  deflate: zlib.deflateSync,
}

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size)
    yield await Promise.resolve(bytes.subarray(start, start + size))
}

test.each<[string, Buffer]>([
  ['gzip', zlib.gzipSync(plain)],
  ['X-GZIP', zlib.gzipSync(plain)],
  ['br', zlib.brotliCompressSync(plain)],
  ['zstd', zlib.zstdCompressSync(plain)],
  ['deflate', zlib.deflateSync(plain)],
  ['deflate', zlib.deflateRawSync(plain)],
  ['identity', plain],
  ['', plain],
  ['UTF-8', plain],
  ['identity, gzip', zlib.gzipSync(plain)],
])('the content encoding "%s" is undone', async (encoding, body) => {
  const { post, store } = openDoor()
  const reply = await post(inChunks(body, 7), { headers: { 'content-encoding': encoding } })
  expect(reply).toMatchObject({ status: 200, body: `{"id":"${EVENT_ID}"}` })
  expect(store.events).toMatchObject([{ message: 'grüße 🎉' }])
})

test.each(['gzip, br', 'gzip,gzip', 'compress', 'constructor'])(
  'the content encoding "%s" is answered with 400',
  async (name) => {
    // Once would do to read it, and so would not at all.
    for (const body of [plain, zlib.gzipSync(plain)])
      expect(await openDoor().post(body, { headers: { 'content-encoding': name } })).toMatchObject({ status: 400 })
  },
)

for (const [encoding, encode] of Object.entries(encoders)) {
  test(`${encoding} data that is cut or broken is answered with 400 and nothing is stored`, async () => {
    const { post, store } = openDoor()
    const whole = encode(plain)
    for (const body of [
      whole.subarray(0, -3),
      whole.subarray(0, 5),
      Buffer.alloc(0),
      Buffer.from('no such data, none'),
    ])
      expect(await post(body, { headers: { 'content-encoding': encoding } })).toMatchObject({ status: 400 })
    expect(store.events).toEqual([])
  })

  test(`a ${encoding} bomb is answered with 413`, async () => {
    const { post, store } = openDoor({ key: { productId: 7, ratePerSecond: 0, burst: null, vouches: false } })
    const bomb = encode(Buffer.concat([plain, Buffer.alloc(20 * MiB, ' ')]))
    expect(bomb.length).toBeLessThan(MiB)
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => post(bomb, { headers: { 'content-encoding': encoding } })),
    )
    for (const reply of replies) {
      expect(reply.status).toBe(413)
      expect(jsonOf(reply)).toEqual({ detail: `the body is larger than ${20 * MiB} bytes once decompressed` })
    }
    expect(store.events).toEqual([])
  })

  test(`a ${encoding} body of exactly the limit is taken`, async () => {
    const padded = Buffer.concat([plain, Buffer.alloc(20 * MiB - plain.length, ' ')])
    // The event's line has no length: the padding would be part of it.
    padded[plain.length] = 0x0a
    const reply = await openDoor().post(encode(padded), { headers: { 'content-encoding': encoding } })
    expect(reply).toMatchObject({ status: 200 })
  })
}

test('a body over one mebibyte is answered with 413 and read no further', async () => {
  const { post } = openDoor()
  let read = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      read += 1
      yield await Promise.resolve(Buffer.alloc(64 * 1024, ' '))
    }
  }
  const reply = await post(endless())
  expect(reply.status).toBe(413)
  expect(jsonOf(reply)).toEqual({ detail: `the request body is larger than ${MiB} bytes` })
  expect(read).toBe(17)
})

test('a body that announces more than one mebibyte is not read at all', async () => {
  async function* unread(): AsyncGenerator<Uint8Array> {
    await Promise.resolve()
    yield expect.unreachable()
  }
  const reply = await openDoor().post(unread(), { headers: { 'content-length': String(MiB + 1) } })
  expect(reply.status).toBe(413)
})

test('the key is checked before the body is read', async () => {
  async function* unread(): AsyncGenerator<Uint8Array> {
    await Promise.resolve()
    yield expect.unreachable()
  }
  const { post } = openDoor()
  expect(await post(unread(), { path: '/api/7/envelope/?svc_key=ffff' })).toMatchObject({ status: 401 })
  expect(await post(unread(), { path: '/api/7/store/' })).toMatchObject({ status: 401 })
})

test('a body of exactly one mebibyte is taken, one byte more is not', async () => {
  const { post } = openDoor()
  const line = Buffer.concat([plain, Buffer.from('\n'), Buffer.alloc(MiB - plain.length - 1, ' ')])
  expect(await post(line)).toMatchObject({ status: 200 })
  expect(await post(Buffer.concat([line, Buffer.from(' ')]))).toMatchObject({ status: 413 })
})

test('a body that breaks off is answered with 400', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(plain.subarray(0, 20))
    throw new Error('aborted')
  }
  const { post, errors } = openDoor()
  expect(await post(broken())).toMatchObject({ status: 400 })
  expect(errors).toEqual([])
})

test('an event over one mebibyte is answered with 413 and its neighbours are stored', async () => {
  const { post, store } = openDoor()
  const large = envelope({}, eventItem({ message: 'x'.repeat(MiB) }), eventItem({ message: 'neighbour' }))
  const reply = await post(zlib.gzipSync(large), { headers: { 'content-encoding': 'gzip' } })
  expect(reply.status).toBe(413)
  expect(jsonOf(reply)).toEqual({ detail: `event 1 is larger than ${MiB} bytes` })
  expect(store.events).toMatchObject([{ message: 'neighbour' }])
})

test('an item that is no event may be larger than an event', async () => {
  const replay = { header: { type: 'replay_recording', length: 2 * MiB }, payload: Buffer.alloc(2 * MiB, '\n') }
  const body = zlib.gzipSync(envelope({ event_id: EVENT_ID }, replay, eventItem({})))
  expect(await openDoor().post(body, { headers: { 'content-encoding': 'gzip' } })).toMatchObject({ status: 200 })
})
