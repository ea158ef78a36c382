import { expect, test } from 'vitest'
import type { WireReply } from '../../../../src/contract/base/wire.ts'
import { ServiceError } from '../../../../src/errors.ts'
import { envelope, EVENT_ID, eventItem, jsonOf, KEY, openDoor, OTHER_KEY } from './harness.ts'

const cors = {
  'content-type': 'application/json',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-sentry-error, x-sentry-rate-limits, x-svc-rate-limits, retry-after',
}
const one = envelope({ event_id: EVENT_ID }, eventItem({ message: 'boom' }))

function seen(reply: WireReply): object {
  return { status: reply.status, body: jsonOf(reply), headers: reply.headers }
}

function answered(status: number, body: unknown, headers: Record<string, string> = {}): object {
  return { status, body, headers: { ...cors, ...headers } }
}

test('an envelope with an event is stored and answered with its id', async () => {
  const { post, store } = openDoor()
  expect(seen(await post(one))).toEqual(answered(200, { id: EVENT_ID }))
  expect(store.events).toMatchObject([{ sdk_event_id: EVENT_ID, message: 'boom', size_bytes: 18 }])
})

test('a repeated event is answered with the same id and changes nothing', async () => {
  const { post, store } = openDoor()
  await post(one)
  expect(seen(await post(envelope({ event_id: EVENT_ID }, eventItem({ message: 'other' }))))).toEqual(
    answered(200, { id: EVENT_ID }),
  )
  expect(store.events).toMatchObject([{ message: 'boom' }])
})

test('an event that is sent again under an id of another form is the same event', async () => {
  const { post, store } = openDoor()
  const order = envelope({ event_id: 'order-42' }, eventItem({ message: 'boom' }))
  expect(seen(await post(order))).toEqual(seen(await post(order)))
  expect(store.events).toHaveLength(1)
})

test.each([
  `/api/7/envelope?svc_key=${KEY}`,
  `/api/7/envelope/?sentry_key=${KEY}&sentry_version=7`,
  `//api///7//envelope//?svc_key=${KEY}`,
])('the envelope path %s is understood', async (path) => {
  expect(seen(await openDoor().post(one, { path }))).toEqual(answered(200, { id: EVENT_ID }))
})

test.each(['', 'text/plain;charset=UTF-8', 'application/x-svc-envelope', 'multipart/form-data', 'application/json'])(
  'an envelope is an envelope whatever its content type (%s)',
  async (type) => {
    expect(seen(await openDoor().post(one, { headers: { 'content-type': type } }))).toEqual(
      answered(200, { id: EVENT_ID }),
    )
  },
)

test('an envelope without an event is answered with an empty object', async () => {
  const { post, store } = openDoor()
  const session = { header: { type: 'session' }, payload: '{"sid":"1"}' }
  const attachment = { header: { type: 'attachment', length: 5 }, payload: 'a\nb\nc' }
  expect(seen(await post(envelope({})))).toEqual(answered(200, {}))
  expect(seen(await post(envelope({ sent_at: '2026-11-21T12:00:00Z' }, session, attachment)))).toEqual(
    answered(200, {}),
  )
  expect(store.events).toEqual([])
})

test('an event item whose payload is a transaction is dropped', async () => {
  const { post, store } = openDoor()
  expect(seen(await post(envelope({ event_id: EVENT_ID }, eventItem({ type: 'transaction' }))))).toEqual(
    answered(200, {}),
  )
  expect(store.events).toEqual([])
})

test.each<[string, string | undefined, Record<string, string>]>([
  ['no key', undefined, {}],
  ['an empty key', undefined, { 'x-sentry-auth': '' }],
  ['an unknown key', 'f'.repeat(32), {}],
  ['two different keys', KEY, { 'x-sentry-auth': `Sentry sentry_key=${OTHER_KEY}` }],
])('%s is answered with 401', async (_name, key, headers) => {
  const { post, store } = openDoor()
  const reply = await post(one, { path: `/api/7/envelope/${key ? `?svc_key=${key}` : ''}`, headers })
  expect(seen(reply)).toEqual(answered(401, { detail: expect.any(String) }))
  expect(store.events).toEqual([])
})

test("the envelope header's dsn is one of the keys", async () => {
  const { post } = openDoor()
  const tunnel = (dsn: string) => envelope({ event_id: EVENT_ID, dsn }, eventItem({}))
  const path = '/api/7/envelope/'
  expect(await post(tunnel(`https://${KEY}@errors.example/7`), { path })).toMatchObject({ status: 200 })
  expect(await post(tunnel(`https://${'f'.repeat(32)}@errors.example/7`), { path })).toMatchObject({ status: 401 })
  expect(await post(tunnel(`https://${OTHER_KEY}@errors.example/7`))).toMatchObject({ status: 401 })
  expect(await post(tunnel(`https://${KEY}@errors.example/8`))).toMatchObject({ status: 400 })
  expect(await post(tunnel('not a dsn'))).toMatchObject({ status: 200 })
})

test.each(['8', 'abc', '07', '7.0', '99999999999999999999'])(
  'a valid key at the address of product %s is answered with 400',
  async (product) => {
    const reply = await openDoor().post(one, { path: `/api/${product}/envelope/?svc_key=${KEY}` })
    const detail = 'the address names another product than the one of the key'
    expect(seen(reply)).toEqual(answered(400, { detail, causes: [] }, { 'x-sentry-error': detail }))
  },
)

test.each<[string, string]>([
  ['an empty body', ''],
  ['a first line that is no JSON', 'boom\n{"type":"event"}\n{}'],
  ['a first line that is a list', '[]\n{"type":"event"}\n{}'],
  ['an item header that is no JSON', '{}\n{"type":"event"}\n{}\nboom\n{}'],
  ['an item header without a type', '{}\n{"type":"event"}\n{}\n{"length":2}\n{}'],
  ['an item that ends early', '{}\n{"type":"event"}\n{}\n{"type":"event","length":3}\n{}'],
  ['an item that is longer than it says', '{}\n{"type":"event"}\n{}\n{"type":"event","length":1}\n{}'],
  ['an item with a length that is no number', '{}\n{"type":"event"}\n{}\n{"type":"event","length":"2"}\n{}'],
])('an envelope with %s is answered with 400 and nothing of it is stored', async (_name, body) => {
  const { post, store } = openDoor()
  const reply = await post(body)
  const detail = expect.any(String)
  expect(seen(reply)).toEqual(answered(400, { detail, causes: [] }, { 'x-sentry-error': detail as unknown as string }))
  expect(store.events).toEqual([])
})

test('a bad event is answered with 400 and its neighbours are stored', async () => {
  const { post, store } = openDoor()
  const bad = ['{"message":', '[]', '"text"', 'null', ''].map((payload) => ({ header: { type: 'event' }, payload }))
  const reply = await post(envelope({}, eventItem({ message: 'before' }), ...bad, eventItem({ message: 'after' })))
  expect(seen(reply)).toEqual(
    answered(
      400,
      {
        detail: 'event 2 is not a JSON object',
        causes: [2, 3, 4, 5, 6].map((number) => `event ${number}: not a JSON object`),
      },
      { 'x-sentry-error': 'event 2 is not a JSON object' },
    ),
  )
  expect(store.events).toMatchObject([{ message: 'before' }, { message: 'after' }])
})

test('several events are all stored, each under its own id', async () => {
  const { post, store } = openDoor()
  const items = [eventItem({ event_id: 'a'.repeat(32) }), eventItem({}), eventItem({})]
  expect(seen(await post(envelope({ event_id: EVENT_ID }, ...items)))).toEqual(answered(200, { id: 'a'.repeat(32) }))
  const ids = store.events.map((event) => event.sdk_event_id)
  expect(ids).toEqual(['a'.repeat(32), EVENT_ID, expect.stringMatching(/^[\da-f]{32}$/)])
})

test('the rate of a key is limited, with whole seconds in three headers', async () => {
  const { post, clock, store } = openDoor({ key: { productId: 7, ratePerSecond: 0.25, burst: 2, vouches: false } })
  const next = (): Promise<WireReply> => post(envelope({}, eventItem({})))
  expect([(await next()).status, (await next()).status]).toEqual([200, 200])
  const limit = '4:error;default;security:key:rate_limited'
  const headers = { 'retry-after': '4', 'x-sentry-rate-limits': limit, 'x-svc-rate-limits': limit }
  expect(seen(await next())).toEqual(answered(429, { detail: expect.any(String) }, headers))
  expect(await post(envelope({}, { header: { type: 'session' }, payload: '{}' }))).toMatchObject({ status: 200 })
  clock.now += 4_000
  expect(await next()).toMatchObject({ status: 200 })
  expect(store.events).toHaveLength(3)
})

test('the limit of a key without one is fifty a second with a burst of two hundred', async () => {
  const { post, clock } = openDoor()
  const statuses = async (count: number) =>
    (await Promise.all(Array.from({ length: count }, () => post(envelope({}, eventItem({})))))).map(
      ({ status }) => status,
    )
  expect((await statuses(201)).filter((status) => status === 200)).toHaveLength(200)
  clock.now += 1_000
  expect((await statuses(60)).filter((status) => status === 200)).toHaveLength(50)
})

test('an envelope with more events than tokens is taken as a whole when one token is free', async () => {
  const { post, store } = openDoor({ key: { productId: 7, ratePerSecond: 1, burst: 2, vouches: false } })
  const many = () => envelope({}, ...Array.from({ length: 5 }, () => eventItem({})))
  expect(await post(many())).toMatchObject({ status: 200 })
  expect(await post(many())).toMatchObject({ status: 429, headers: { 'retry-after': '4' } })
  expect(store.events).toHaveLength(5)
})

test('a store that cannot write is answered with 503 and a time to come back', async () => {
  const { post, store, errors } = openDoor()
  store.failure = new ServiceError('unavailable', 'the store is busy')
  expect(seen(await post(one))).toEqual(answered(503, { detail: 'the store is busy' }, { 'retry-after': '5' }))
  expect(errors).toEqual([store.failure])
})

test('a bug is answered with 500 and tells nothing', async () => {
  const { post, store, errors } = openDoor()
  store.failure = new Error('SELECT secret FROM token')
  expect(seen(await post(one))).toEqual(answered(500, { detail: 'internal error' }))
  expect(errors).toEqual([store.failure])
})

test.each(['envelope', 'store', 'security'])('a browser may ask %s before it sends own headers', async (endpoint) => {
  expect(seen(await openDoor().post(undefined, { path: `/api/7/${endpoint}/`, method: 'OPTIONS' }))).toEqual(
    answered(
      200,
      {},
      {
        'access-control-allow-methods': 'POST, OPTIONS',
        'access-control-allow-headers':
          'x-svc-auth, x-sentry-auth, content-type, content-encoding, authorization, sentry-trace, baggage, x-requested-with, transfer-encoding',
        'access-control-max-age': '3600',
      },
    ),
  )
})

test.each<[string, string, number, unknown]>([
  ['GET', '/api/0/', 200, {}],
  ['GET', '/api/0', 200, {}],
  ['POST', '/api/7/security/?sentry_key=x', 200, {}],
  ['GET', `/api/7/store/?sentry_key=${KEY}&sentry_data=e30`, 501, { detail: 'this path takes only POST' }],
  ['PUT', `/api/7/envelope/?sentry_key=${KEY}`, 501, { detail: 'this path takes only POST' }],
  ['POST', '/api/0/', 501, { detail: 'this path takes only GET' }],
  ['GET', '/api/7/issues/', 404, { detail: 'no such path on the ingest surface' }],
  ['GET', '/api', 404, { detail: 'no such path on the ingest surface' }],
])('%s %s is answered with %i', async (method, path, status, body) => {
  expect(seen(await openDoor().post(undefined, { path, method }))).toEqual(answered(status, body))
})

test('client reports are summed by reason and category, unknown names as other', async () => {
  const { post, store } = openDoor()
  const report = (...entries: unknown[]) => ({
    header: { type: 'client_report' },
    payload: JSON.stringify({ timestamp: 1, discarded_events: entries }),
  })
  const backoff = { reason: 'ratelimit_backoff', category: 'error', quantity: 3 }
  const odd = [{ reason: 'Ignore all previous instructions', category: {}, quantity: 1 }, 7, { quantity: -1 }, null]
  const broken = { header: { type: 'client_report' }, payload: '{"discarded_events":7}' }
  expect(seen(await post(envelope({}, report(backoff), report({ ...backoff, quantity: 4 }, ...odd), broken)))).toEqual(
    answered(200, {}),
  )
  expect(store.drops).toEqual([
    { reason: 'ratelimit_backoff', category: 'error', quantity: 7 },
    { reason: 'other', category: 'other', quantity: 1 },
  ])
})

test('requests that are too large are reported at most once a minute', async () => {
  const { post, refused, clock } = openDoor({ limits: { bodyBytes: 100 } })
  const large = envelope({}, eventItem({ message: 'x'.repeat(200) }))
  for (const waitMs of [0, 59_999, 1, -3_600_000]) {
    clock.now += waitMs
    expect((await post(large)).status).toBe(413)
  }
  expect(refused).toEqual([1, 2, 3].map(() => 'the request body is larger than 100 bytes'))
})

test('a wrong key and a wrong address are reported too, each at most once a minute, and a spent budget is not', async () => {
  const { post, refused } = openDoor()
  const body = envelope({}, eventItem({ message: 'x' }))
  for (const path of ['/api/7/envelope/?svc_key=unknown', '/api/8/envelope/?svc_key=unknown']) {
    expect((await post(body, { path })).status).toBe(401)
  }
  expect((await post('not an envelope')).status).toBe(400)
  expect(refused).toEqual(['the key is unknown or revoked', 'the envelope header is not a JSON object'])
})
