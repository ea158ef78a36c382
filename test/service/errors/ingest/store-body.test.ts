import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { envelope, EVENT_ID, eventItem, jsonOf, KEY, openDoor } from './harness.ts'

const path = `/api/7/store/?sentry_key=${KEY}`
const json = JSON.stringify({ event_id: EVENT_ID, message: 'boom', extra: { ratio: 1 } })

test.each<[string, Buffer, Record<string, string>]>([
  ['JSON', Buffer.from(json), { 'content-type': 'application/json' }],
  ['JSON after white space', Buffer.from(`\n  ${json}\n`), {}],
  ['gzip of JSON', zlib.gzipSync(json), { 'content-encoding': 'gzip' }],
  ['base64 of JSON', Buffer.from(Buffer.from(json).toString('base64')), { 'content-type': 'application/octet-stream' }],
  ['base64 of zlib JSON', Buffer.from(`${zlib.deflateSync(json).toString('base64')}\n`), {}],
  ['base64 in lines', Buffer.from(Buffer.from(json).toString('base64').replace(/.{20}/g, '$&\r\n')), {}],
  [
    'an envelope',
    envelope({ event_id: EVENT_ID }, eventItem({ message: 'boom' })),
    { 'content-type': 'application/x-sentry-envelope' },
  ],
])('/store/ takes %s', async (_name, body, headers) => {
  const { post, store } = openDoor()
  const reply = await post(body, { path, headers })
  expect({ status: reply.status, body: jsonOf(reply) }).toEqual({ status: 200, body: { id: EVENT_ID } })
  expect(store.events).toMatchObject([{ sdk_event_id: EVENT_ID, message: 'boom' }])
})

test('an event without an id gets one', async () => {
  const { post, store } = openDoor()
  const reply = await post('{"message":"boom"}', { path })
  expect(jsonOf(reply)).toEqual({ id: store.events[0]?.sdk_event_id })
  expect(store.events[0]?.sdk_event_id).toMatch(/^[\da-f]{32}$/)
})

test('NaN and Infinity, as old Python writes them, are read as null outside strings', async () => {
  const { post, store } = openDoor()
  const body = '{"message":"NaN \\" -Infinity","extra":{"a":NaN,"b":[-Infinity,Infinity]},"tags":{"NaN":"NaN"}}'
  expect(await post(body, { path })).toMatchObject({ status: 200 })
  expect(store.events).toMatchObject([
    { message: 'NaN " -Infinity', extra: { a: null, b: [null, null] }, tags: [{ key: 'NaN', value: 'NaN' }] },
  ])
})

test.each([
  '',
  'boom!',
  '[]',
  '"text"',
  'null',
  '{"a":',
  '{"a":NaN1}',
  'e30',
  'W10=',
  '{"a":NaN,"' + '\\"'.repeat(400_000),
])('/store/ answers 400 to a body that is no event (%#)', async (body) => {
  const { post, store } = openDoor()
  const reply = await post(body, { path })
  // "e30" is base64 of {}.
  expect(reply.status).toBe(body === 'e30' ? 200 : 400)
  expect(store.events).toHaveLength(body === 'e30' ? 1 : 0)
})

test('a bomb in base64 is answered with 413', async () => {
  const bomb = zlib.deflateSync(Buffer.alloc(40 * 1024 * 1024, ' ')).toString('base64')
  expect(await openDoor().post(bomb, { path })).toMatchObject({ status: 413 })
})

test('a transaction at /store/ is dropped', async () => {
  const { post, store } = openDoor()
  expect(jsonOf(await post('{"type":"transaction"}', { path }))).toEqual({})
  expect(store.events).toEqual([])
})

test('the SDK is taken from the auth header when the event names none', async () => {
  const { post, store } = openDoor()
  const headers = { 'x-sentry-auth': `Sentry sentry_key=${KEY}, sentry_version=7, sentry_client=sentry.python/1.9.10` }
  await post('{}', { path: '/api/7/store/', headers })
  expect(store.events).toMatchObject([{ sdk: { name: 'sentry.python', version: '1.9.10' } }])
})
