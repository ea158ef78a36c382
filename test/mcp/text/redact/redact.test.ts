import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redact, redactData } from '../../../../src/mcp/text/redact/index.ts'
import { traces } from '../../corpus/strings.ts'

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
const hex = '0123456789abcdef0123456789abcdef'
const letters = 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8'.repeat(3)

test.each([
  ['authorization: Bearer abcdef1234567890', 'authorization: Bearer [redacted:bearer]', { bearer: 1 }],
  ['Basic dXNlcjpwYXNzd29yZA==', 'Basic [redacted:basic]', { basic: 1 }],
  ['Authorization: Token abcdefgh123', 'Authorization: Token [redacted:authorization]', { authorization: 1 }],
  [
    'authorization: Digest username="ann", response="abc"',
    'authorization: Digest [redacted:authorization]',
    { authorization: 1 },
  ],
  [`token=${jwt}!`, 'token=[redacted:jwt]!', { jwt: 1 }],
  ['Cookie: sid=1; theme=dark', 'Cookie: [redacted:cookie]', { cookie: 1 }],
  ['Set-Cookie: sid=a"b; HttpOnly', 'Set-Cookie: [redacted:cookie]', { cookie: 1 }],
  [
    '{"Cookie":"sid=1; b=2","Set-Cookie":["a=1; Path=/"],"n":1}',
    '{"Cookie":"[redacted:cookie]","Set-Cookie":[redacted:cookie],"n":1}',
    { cookie: 2 },
  ],
  ['postgres://bob:pw@db.example/x', 'postgres://[redacted:url_credentials]@db.example/x', { url_credentials: 1 }],
  ['redis://:p/w@db.example:6379', 'redis://[redacted:url_credentials]@db.example:6379', { url_credentials: 1 }],
  [`https://${hex}@o1.ingest.example/123`, 'https://[redacted:dsn_key]@o1.ingest.example/123', { dsn_key: 1 }],
  ['ann@example.com and bob@example.org', '[redacted:email] and [redacted:email]', { email: 2 }],
  ['-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----', '[redacted:pem]', { pem: 1 }],
  [String.raw`-----BEGIN PRIVATE KEY-----\nMIIEvg\n`, '[redacted:pem]', { pem: 1 }],
  ['failed\ufffd4111 1111 1111 1111', 'failed\ufffd[redacted:card]', { card: 1 }],
  ['card 4111 1111 1111 1111.', 'card [redacted:card].', { card: 1 }],
  ['DE89 3704 0044 0532 0130 00', '[redacted:iban]', { iban: 1 }],
  ['ssn 123-45-6789', 'ssn [redacted:ssn]', { ssn: 1 }],
  ['from 203.0.113.7:443', 'from [redacted:ip]:443', { ip: 1 }],
  ['peer 2001:db8::ff00:42:8329 left', 'peer [redacted:ip] left', { ip: 1 }],
])('%s is replaced and counted', (raw, text, counts) => {
  expect(redact(raw)).toEqual({ text, counts })
})

test.each([
  ['tracegate_token', `tg_${'a'.repeat(40)}`],
  ['aws_key', 'AKIAIOSFODNN7EXAMPLE'],
  ['github_token', `ghp_${letters.slice(0, 36)}`],
  ['github_token', `gho_${letters.slice(0, 36)}`],
  ['github_token', `github_pat_${letters.slice(0, 60)}`],
  ['gitlab_token', `glpat-${letters.slice(0, 20)}`],
  ['slack_token', 'xoxb-1234567890-abcdef'],
  ['stripe_key', `sk_live_${letters.slice(0, 24)}`],
  ['openai_key', `sk-proj-${letters.slice(0, 40)}`],
  ['openai_key', `sk-ant-api03-${letters.slice(0, 40)}`],
  ['google_key', `AIza${letters.slice(0, 35)}`],
  ['npm_token', `npm_${letters.slice(0, 36)}`],
  ['provider_token', `hf_${letters.slice(0, 34)}`],
])('a key of kind %s is known by its first letters', (kind, key) => {
  expect(redact(`used ${key}, failed`)).toEqual({ text: `used [redacted:${kind}], failed`, counts: { [kind]: 1 } })
})

test.each([
  ['password=hunter2&n=1', 'password=[redacted:secret]&n=1'],
  ['password: swordfish', 'password: [redacted:secret]'],
  ['{"password":"hunter 2","n":1}', '{"password":"[redacted:secret]","n":1}'],
  [String.raw`{\"api_key\":\"a b\",\"n\":1}`, String.raw`{\"api_key\":\"[redacted:secret]\",\"n\":1}`],
  ["{'client_secret': 'x y', 'a': 1}", "{'client_secret': '[redacted:secret]', 'a': 1}"],
  ['GET /reset?token=abc&page=2', 'GET /reset?token=[redacted:secret]&page=2'],
  ['login --password hunter2 --verbose', 'login --password [redacted:secret] --verbose'],
  ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI', 'AWS_SECRET_ACCESS_KEY=[redacted:secret]'],
  ['X-Api-Key: abc123', 'X-Api-Key: [redacted:secret]'],
  ['const token = "abc"', 'const token = "[redacted:secret]"'],
  ['headers["x-auth-token"] = "abc"', 'headers["x-auth-token"] = "[redacted:secret]"'],
  ['https://shop.example/reset?n=1&token=abc', 'https://shop.example/reset?n=1&token=[redacted:secret]'],
  ['otp: 123456', 'otp: [redacted:secret]'],
  ['session_id=abc', 'session_id=[redacted:secret]'],
])('in %s the value is a secret because of its name', (raw, text) => {
  expect(redact(raw)).toEqual({ text, counts: { secret: 1 } })
})

test.each([
  ['at f (/home/ann/app/cart.js:1:2)', 'at f (~/app/cart.js:1:2)'],
  ['file:///Users/ann/cart.js', 'file://~/cart.js'],
  [String.raw`C:\Users\ann\cart.js`, String.raw`~\cart.js`],
  ['ENOENT: C:/Users/ann', 'ENOENT: ~'],
])('in %s the home directory is anonymized', (raw, text) => {
  expect(redact(raw)).toEqual({ text, counts: { home_directory: 1 } })
})

test.each([
  'node_modules/.pnpm/zod@4.6.7/node_modules/zod/index.js',
  'npm:@sentry/node@11.11.0',
  'git+ssh://git@github.com/acme/shop.git',
  'submit@https://shop.example/assets/app.js:1:2',
  'render@main.js:3:7 and logo@2x.png',
  '01a1fc5a-b9b0-7003-af30-feb823c92525',
  'd670460b4b4aece5915caf5c68d12f560a9fe3e4',
  `sha256:${hex}${hex}`,
  'sha512-9uKS2yZ5V8QyK0jW3q1vQ4o7N+H4n8r2',
  'order id: 4111111111111111',
  'orders 4111111111111112 and 1234567890123456',
  'TypeError: basic setup failed',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36',
  'System.Core, Version=4.0.1.2, Culture=neutral',
  'lib-1.2.3.4.jar requests==2.31.0.1 v10.1.2.3 pkg@1.2.3.4',
  'connect ECONNREFUSED 127.0.0.1:5432 and ::1',
  'std::vec::Vec at 12:34:56, de::serde 00:1a:2b:3c:4d:5e',
  'GET /home/products and https://shop.example/home/ann',
  'password: must have at least 8 characters',
  'password is required, token expired, Invalid password for bob',
  'Unexpected token: punc (})',
  'const token = req.headers.token; if (token === undefined) return getToken(1)',
  'interface Login { password: string; token?: Token }',
  'max_tokens=4096 token_count: 12 author=bob passwordResetAt: 2026',
  'sk-circle-fade-dot eyJnot.a',
])('%s keeps its shape', (text) => {
  expect(redact(text)).toEqual({ text, counts: {} })
})

test('values of secret names are removed completely, including nested ones', () => {
  const counts: Record<string, number> = {}
  const reader = {
    text: (text: string) => text,
    count: (kind: string) => {
      counts[kind] = (counts[kind] ?? 0) + 1
    },
  }
  const data = {
    password: 'a b c',
    Authorization: ['x', 'y'],
    nested: { sessionToken: { value: 1 }, cookies: 'a=1', tokenCount: 3, otp: 123456 },
    list: [{ apiKey: 'k' }, 'plain'],
    secret: null,
    token: '',
    csrf: false,
  }
  expect(redactData(data, reader)).toEqual({
    password: '[redacted:secret]',
    Authorization: '[redacted:secret]',
    nested: {
      sessionToken: '[redacted:secret]',
      cookies: '[redacted:cookie]',
      tokenCount: 3,
      otp: '[redacted:secret]',
    },
    list: [{ apiKey: '[redacted:secret]' }, 'plain'],
    secret: null,
    token: '',
    csrf: false,
  })
  expect(counts).toEqual({ secret: 5, cookie: 1 })
})

test('addresses joined by a character that may begin an address are all replaced', () => {
  expect(redact('ann@example.com-bob@example.com+cy@example.org done').text).toBe('[redacted:email] done')
})

test('an address before another address is replaced too', () => {
  expect(redact('ann@example.com:10.1.2.3').text).toBe('[redacted:email]:[redacted:ip]')
})

test('redacting again changes nothing', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'password=',
      '"token":',
      'Bearer ',
      'cookie: a=',
      'ann@example.com',
      '10.1.2.3',
      '"',
      '\n',
      ' ',
      '://',
    ),
    fc.string({ maxLength: 12 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const once = redact(pieces.join('')).text
      expect(redact(once).text).toBe(once)
    }),
    { numRuns: 1000, examples: [[['<', 'Bearer ', '>', ']]]']]] },
  )
})

test('traces of real programs lose only home directories', () => {
  const kinds = traces.flatMap(({ text }) => Object.keys(redact(text).counts))
  expect(kinds.filter((kind) => kind !== 'home_directory')).toEqual([])
})

test('a long text without secrets is read in linear time', () => {
  const giant = 'a'.repeat(1_000_000) + '@'.repeat(1000) + '://'.repeat(1000)
  expect(redact(giant).text).toBe(giant)
})

test('a huge text of one repeated phrase is scanned to its end', () => {
  const phrases = [
    'cookie: a=',
    'a="',
    "password='",
    '1 ',
    '4',
    ':a',
    'a@a.',
    '://a:',
    'AA11 ',
    'eyJ-',
    'a-',
    '/home/',
    'authorization: token a ',
    '-----BEGIN PRIVATE KEY-----',
    'a:\\"',
    'cookie:[',
    'sk-',
    'eyJ',
    '%41',
    'password=a1 ',
  ]
  for (const phrase of phrases) {
    const { text } = redact(`${phrase.repeat(500_000 / phrase.length)}\n ann@example.com`)
    expect(text.endsWith('\n [redacted:email]')).toBe(true)
  }
})
