import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messageToken, parameterise } from '../../../../src/service/errors/grouping/parameterise.ts'

test.each([
  ['mail to anna.b+x@example.co.uk bounced', 'mail to <email> bounced'],
  ['GET https://shop.example/cart?id=5 failed', 'GET <url> failed'],
  ['postgres://u:p@db:5432/shop refused', '<url> refused'],
  ['getaddrinfo ENOTFOUND api.shop.com', 'getaddrinfo ENOTFOUND <hostname>'],
  ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED <ip>:<int>'],
  ['connect ECONNREFUSED ::1:5432', 'connect ECONNREFUSED <ip>'],
  ['from 2001:db8::8a2e:370:7334 now', 'from <ip> now'],
  ['trace 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'trace <traceparent>'],
  ['order 019ab3c4-7d3e-7b1c-9f00-2d5a0c6b8e11 lost', 'order <uuid> lost'],
  ['at 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12', 'at <sha1>'],
  ['etag 9e107d9d372bb6826bd81d3542a419d6', 'etag <md5>'],
  ['since 2026-03-01T12:30:00.123Z', 'since <date>'],
  ['since Tue Mar 03 2026 12:30:00 GMT+0100', 'since <date>'],
  ['since 3 March 2026', 'since <date>'],
  ['took 1.5s of 30 seconds', 'took <duration> of <int> seconds'],
  ['at 10:15:00 or 9:05 PM', 'at <date> or <date>'],
  ['since 20260301T123000Z', 'since <date>'],
  ['on Monday, 02-Jan-06 15:04:05 MST', 'on <date>'],
  ['on Jan 02, 1999 or Mon Jan  2 15:04:05 2006', 'on <date> or <date>'],
  ['from datetime.datetime(2026, 3, 1, 12, 30)', 'from <date>'],
  ['root 1-67891233-abcdef012345678912345678', 'root <traceparent>'],
  ['object tx0a1b2c3d4e5f60718293a-0065f1c2d3-dfw1', 'object <swift_txn_id>'],
  ['id 12345678 and DEADBEEF01', 'id <int> and <hex>'],
  ['host DB.EXAMPLE.ORG or web.example.io', 'host <hostname> or <hostname>'],
  ['timeout of 5000ms exceeded', 'timeout of <duration> exceeded'],
  ['at 0x7ffde41b', 'at <hex>'],
  ['request a3f29c1b77', 'request <hex>'],
  ['commit a3f29c1', 'commit <git_sha>'],
  ['price 12.50 below -3', 'price <float> below <int>'],
  ['user 42 not found', 'user <int> not found'],
  ['user_42, order-43, #44', 'user_42, order-<int>, #<int>'],
  ["name='Ann O' ok=true", 'name=<quoted_str> ok=<bool>'],
])('%j becomes %j', (text, expected) => {
  expect(parameterise(text)).toBe(expected)
})

test.each([
  "Cannot read properties of undefined (reading 'cart.items')",
  'Foo::Bar has no method DB::Add',
  'module ./cart.ts not found',
  'TS2304 in utf8 v2 of sha256',
  'it is true that "a" is quoted',
  '50ms5 3rd',
  "name= 'Ann'",
])('%j stays as it is', (text) => {
  expect(parameterise(text)).toBe(text)
})

test('two lines that are not empty count, and the rest only says that there is more', () => {
  expect(messageToken('\n  one 1 \r\n\n two \n')).toBe('one <int>\ntwo')
  expect(messageToken('one\ntwo\nthree 3')).toBe('one\ntwo...')
  expect(messageToken('one\ntwo\nfour')).toBe(messageToken('one\ntwo\nthree 3'))
})

test('numbers and ids inside a sentence do not change what it becomes', () => {
  const id = fc.oneof(fc.nat().map(String), fc.integer().map(String), fc.maxSafeInteger().map(String))
  const word = fc.stringMatching(/^[g-z]{2,8}$/)
  fc.assert(
    fc.property(word, word, id, id, fc.uuid(), fc.uuid(), (before, after, n, m, u, v) => {
      const sentence = (number: string, uuid: string) => `${before} ${number} ${after} (${uuid}): [${number}]`
      expect(parameterise(sentence(n, u))).toBe(parameterise(sentence(m, v)))
    }),
  )
})

test('different words stay different', () => {
  const words = fc.stringMatching(/^[g-z]{3,8}( [g-z]{3,8}){0,3}$/)
  fc.assert(
    fc.property(words, words, (one, other) => {
      expect(parameterise(one) === parameterise(other)).toBe(one === other)
    }),
  )
})

test.each([
  'a@',
  'a.',
  '-a',
  '1.',
  '1:',
  'a:',
  '::',
  'a::',
  '0',
  'f',
  '0f',
  '0-',
  '="',
  "='",
  '= ',
  'http://',
  'h+',
  'mon ',
  '1 ',
  'a@a.',
  'com.',
  '1e',
  '00-',
  'Tue, 1 jan ',
  '\n',
  ' \n',
])('hostile repetition of %j is read in linear steps', (unit) => {
  const text = unit.repeat(60_000)
  expect(parameterise(text)).toBe(parameterise(text.slice(0, 8192)))
  expect(messageToken(text)).toBe(messageToken(text.slice(0, 8192)))
})

test('no number on its own is left in any text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.nat().map(String), fc.constantFrom('.', '-', ':', 'e'))),
      (pieces) => {
        expect(parameterise(pieces.join(''))).not.toMatch(/(?<!\w)\d+(?!\w)/)
      },
    ),
  )
})
