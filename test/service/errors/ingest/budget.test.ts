import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { defaultLimits } from '../../../../src/service/errors/ingest/limits.ts'
import { envelope, eventItem, jsonOf, KEY, openDoor, OTHER_KEY, type Item } from './harness.ts'

const MiB = 1024 * 1024
const session: Item = { header: { type: 'session' }, payload: '{"sid":"1"}' }
const report: Item = {
  header: { type: 'client_report' },
  payload: '{"discarded_events":[{"reason":"before_send","category":"error","quantity":1}]}',
}
/** Some hundred bytes that unpack to almost 20 MiB of items that are not kept. */
const bomb = zlib.brotliCompressSync(
  envelope({}, { header: { type: 'session', length: 19 * MiB }, payload: Buffer.alloc(19 * MiB) }),
)
const brotli = { headers: { 'content-encoding': 'br' } }

async function* unread(): AsyncGenerator<Uint8Array> {
  await Promise.resolve()
  yield expect.unreachable()
}

test('a body that unpacks to megabytes is charged to its key, and the next ones are not read', async () => {
  const { post, clock } = openDoor()
  expect(bomb.length).toBeLessThan(200)
  const statuses = []
  for (let sent = 0; sent < 4; sent += 1) statuses.push((await post(bomb, brotli)).status)
  expect(statuses).toEqual([200, 200, 429, 429])
  const refused = await post(unread())
  expect(jsonOf(refused)).toEqual({ detail: 'too many bytes for this key' })
  // No category is all of them.
  expect(refused.headers['x-sentry-rate-limits']).toMatch(/^\d+::key:rate_limited$/)
  const other = { path: `/api/8/envelope/?svc_key=${OTHER_KEY}` }
  expect(await post(envelope({}, eventItem({})), other)).toMatchObject({ status: 200 })
  clock.now += Number(refused.headers['retry-after']) * 1000
  expect(await post(envelope({}, eventItem({})))).toMatchObject({ status: 200 })
})

test('a bomb is given up where the budget of its key ends', async () => {
  const { post } = openDoor({ limits: { byteBurst: MiB } })
  const tooLong = { header: { type: 'session', length: 20 * MiB }, payload: Buffer.alloc(19 * MiB) }
  const broken = zlib.brotliCompressSync(envelope({}, tooLong))
  // Read to its end it would be 400.
  expect(await post(broken, brotli)).toMatchObject({ status: 429 })
})

test('bytes are charged while they arrive', async () => {
  const { post } = openDoor({ limits: { byteBurst: 100_000 } })
  let chunks = 0
  async function* long(): AsyncGenerator<Uint8Array> {
    for (; chunks < 100; chunks += 1) yield await Promise.resolve(Buffer.alloc(10_000, ' '))
  }
  expect(await post(long())).toMatchObject({ status: 429 })
  expect(chunks).toBe(10)
})

test('the requests of a key are limited, whatever is in them', async () => {
  const { post } = openDoor({ limits: { requestBurst: 2, requestsPerSecond: 1 } })
  for (const body of ['broken', '{}']) await post(body)
  expect(await post(unread())).toMatchObject({
    status: 429,
    headers: { 'x-sentry-rate-limits': '1::key:rate_limited' },
  })
})

test('an application with too many sessions is asked to hold back everything but its errors', async () => {
  const { post, store } = openDoor({ limits: { otherBurst: 3 } })
  const replies = []
  for (let sent = 0; sent < 4; sent += 1) replies.push(await post(envelope({}, session, report)))
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429])
  expect(store.drops).toHaveLength(3)
  const categories = replies[3]?.headers['x-sentry-rate-limits']?.split(':')[1]?.split(';')
  expect(categories).toContain('session')
  expect(categories).not.toContain('error')
  expect(await post(envelope({}, session, eventItem({})))).toMatchObject({ status: 200 })
})

test('a page that sends sessions, reports and errors at usual rates is never refused', async () => {
  const { post, clock, store } = openDoor()
  for (let second = 0; second < 120; second += 1) {
    clock.now += 1000
    const bodies = [
      ...Array.from({ length: 40 }, () => envelope({}, session)),
      ...Array.from({ length: 5 }, () => envelope({}, report)),
      ...Array.from({ length: 40 }, () => envelope({}, eventItem({ message: 'x'.repeat(20_000) }), session)),
    ]
    for (const body of bodies) expect((await post(body)).status).toBe(200)
  }
  expect(store.events).toHaveLength(4800)
})

test('a key with a higher event rate has more of everything, one without a limit has no limit', async () => {
  const limits = { requestBurst: 2, requestsPerSecond: 1 }
  const key = { productId: 7, ratePerSecond: defaultLimits.eventsPerSecond * 3, burst: null, vouches: false }
  const faster = openDoor({ limits, key })
  const unlimited = openDoor({ limits, key: { ...key, ratePerSecond: 0 } })
  const send = ({ post }: typeof faster) => Promise.all(Array.from({ length: 10 }, () => post('{}')))
  expect((await send(faster)).filter(({ status }) => status === 200)).toHaveLength(6)
  expect((await send(unlimited)).filter(({ status }) => status === 200)).toHaveLength(10)
})

test('a refusal for the rate comes late, so that asking again at once gains nothing', async () => {
  const { post } = openDoor({ limits: { refusalDelayMs: 30, requestBurst: 1 } })
  await post('{}')
  const order: string[] = []
  const refused = post('{}').then(({ status }) => order.push(String(status)))
  await new Promise<void>((resolve) => setTimeout(() => resolve(void order.push('later')), 5))
  await refused
  expect(order).toEqual(['later', '429'])
})

test('a client report larger than any real one is skipped', async () => {
  const { post, store } = openDoor()
  const entry = { reason: 'before_send', category: 'error', quantity: 1 }
  const large = { ...report, payload: JSON.stringify({ discarded_events: Array.from({ length: 500 }, () => entry) }) }
  expect(await post(envelope({}, large))).toMatchObject({ status: 200 })
  expect(store.drops).toEqual([])
})

const intake = { ...defaultLimits.intake, bytes: 3000, bytesPerOwner: 2000 }

test('a body that never ends is answered with 408', async () => {
  const { post, errors } = openDoor({ limits: { intake: { ...intake, timeoutMs: 10 } } })
  async function* silent(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{}')
    await new Promise(() => undefined)
  }
  const reply = await post(silent())
  expect([reply.status, jsonOf(reply)]).toEqual([408, { detail: 'the body arrived too slowly; send it again' }])
  expect(errors).toEqual([])
})

test('bodies that never end make room for whole ones, with 503 and a time to come back', async () => {
  const { post, store } = openDoor({ limits: { intake } })
  const ends: (() => void)[] = []
  async function* half(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`{"pad":"${'x'.repeat(800)}"}\n`)
    await new Promise<void>((resolve) => ends.push(resolve))
  }
  const halves = Array.from({ length: 30 }, () => post(half()))
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(envelope({}, eventItem({ message: 'real' })))
  }
  expect(await post(whole())).toMatchObject({ status: 200 })
  expect(store.events).toMatchObject([{ message: 'real' }])
  for (const end of ends) end()
  const replies = await Promise.all(halves)
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 503]))
  expect(replies.find(({ status }) => status === 503)?.headers['retry-after']).toBe('5')
  expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(2)
})

test('what a body unpacks to counts as memory, unless nothing of it is kept', async () => {
  const { post } = openDoor({ limits: { intake } })
  const packed = (...items: Item[]) => zlib.brotliCompressSync(envelope({}, ...items))
  const large = { message: 'x'.repeat(5000) }
  expect(await post(packed(eventItem(large)), brotli)).toMatchObject({ status: 503 })
  expect(await post(packed({ ...session, payload: JSON.stringify(large) }), brotli)).toMatchObject({ status: 200 })
  const base64 = zlib.deflateSync(JSON.stringify(large)).toString('base64')
  expect(await post(base64, { path: `/api/7/store/?sentry_key=${KEY}` })).toMatchObject({ status: 503 })
})
