import { expect, test } from 'vitest'
import { oneKey, readDsn, requestKey } from '../../../../src/service/errors/ingest/auth.ts'
import { KEY, OTHER_KEY } from './harness.ts'

function keyOf(query: string, headers: Record<string, string>): string | undefined {
  return requestKey({ method: 'POST', url: 'http://h/', headers }, new URLSearchParams(query))
}

test.each<[string, Record<string, string>]>([
  [`svc_key=${KEY}`, {}],
  [`sentry_version=7&sentry_key=${KEY}&sentry_client=sentry.javascript.node%2F11.12.0`, {}],
  [`svc_key=${KEY}&sentry_key=${KEY}`, { 'x-sentry-auth': `Sentry sentry_key=${KEY}` }],
  [`svc_key=${KEY}&sentry_key=`, { 'x-sentry-auth': '', authorization: '' }],
  ['', { 'x-svc-auth': `Svc svc_key=${KEY}` }],
  ['', { 'x-sentry-auth': `Sentry sentry_key=${KEY}, sentry_version=7, sentry_client=raven/1` }],
  ['', { 'x-sentry-auth': `Sentry sentry_version=7,sentry_key=${KEY},sentry_secret=abc` }],
  ['', { 'x-sentry-auth': `SENTRY Sentry_Key=${KEY} sentry_timestamp=1.5` }],
  ['', { 'x-sentry-auth': `sentry_key=${KEY}` }],
  ['', { authorization: `Sentry sentry_key=${KEY}, sentry_version=7` }],
  ['', { authorization: `Basic ${Buffer.from(`${KEY}:secret`).toString('base64')}` }],
  ['', { authorization: `basic ${Buffer.from(KEY).toString('base64')}` }],
])('the key is found in ?%s and %j', (query, headers) => {
  expect(keyOf(query, headers)).toBe(KEY)
})

test.each<[string, Record<string, string>]>([
  ['', {}],
  ['svc_key=', { 'x-svc-auth': '' }],
  ['', { authorization: `Bearer sentry_key=${KEY}` }],
  ['', { 'x-sentry-auth': 'Sentry sentry_version=7' }],
])('there is no key in ?%s and %j', (query, headers) => {
  expect(keyOf(query, headers)).toBeUndefined()
})

test.each<[string, Record<string, string>]>([
  [`svc_key=${KEY}&sentry_key=${OTHER_KEY}`, {}],
  [`svc_key=${KEY}&svc_key=${OTHER_KEY}`, {}],
  [`svc_key=${KEY}`, { 'x-svc-auth': `Svc svc_key=${OTHER_KEY}` }],
  ['', { 'x-sentry-auth': `Sentry sentry_key=${KEY}, Sentry sentry_key=${OTHER_KEY}` }],
  [`svc_key=${KEY}`, { authorization: `Basic ${Buffer.from(`${OTHER_KEY}:`).toString('base64')}` }],
])('two different keys are refused in ?%s and %j', (query, headers) => {
  expect(() => keyOf(query, headers)).toThrow(expect.objectContaining({ code: 'unauthenticated' }))
})

test('equal keys are one key', () => {
  expect(oneKey([undefined, 'a', '', 'a'])).toBe('a')
})

test.each<[unknown, unknown]>([
  [`https://${KEY}@errors.example/7`, { publicKey: KEY, productId: '7' }],
  [`http://${KEY}:secret@localhost:4319/prefix/7/`, { publicKey: KEY, productId: '7' }],
  ['https://errors.example/7', undefined],
  [`https://${KEY}@errors.example/`, undefined],
  ['boom', undefined],
  [7, undefined],
  [undefined, undefined],
])('the DSN %s is read', (dsn, expected) => {
  expect(readDsn(dsn)).toEqual(expected)
})
