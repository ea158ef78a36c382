import { expect, test } from 'vitest'
import { redact } from '../../src/mcp/redact.ts'

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'

test.each([
  ['authorization: Bearer abcdef1234567890', 'authorization: Bearer [redacted:bearer]', { bearer: 1 }],
  ['Basic dXNlcjpwYXNzd29yZA==', 'Basic [redacted:basic]', { basic: 1 }],
  [`token=${jwt}!`, 'token=[redacted:jwt]!', { jwt: 1 }],
  ['Cookie: sid=1; theme=dark', 'Cookie: [redacted:cookie]', { cookie: 1 }],
  [`tg_${'a'.repeat(40)}`, '[redacted:tracegate_token]', { tracegate_token: 1 }],
  ['postgres://bob:pw@db.example/x', 'postgres://[redacted:url_credentials]@db.example/x', { url_credentials: 1 }],
  ['ann@example.com and bob@example.org', '[redacted:email] and [redacted:email]', { email: 2 }],
  ['-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----', '[redacted:pem]', { pem: 1 }],
])('%s is replaced and counted', (raw, text, counts) => {
  expect(redact(raw)).toEqual({ text, counts })
})

test.each([
  'node_modules/.pnpm/zod@4.6.7/node_modules/zod/index.js',
  'npm:@sentry/node@11.11.0',
  '01a1fc5a-b9b0-7003-af30-feb823c92525',
  'd670460b4b4aece5915caf5c68d12f560a9fe3e4',
  'TypeError: basic setup failed',
])('%s keeps its shape', (text) => {
  expect(redact(text)).toEqual({ text, counts: {} })
})

test('a long text without secrets is read in linear time', () => {
  const giant = 'a'.repeat(1_000_000) + '@'.repeat(1000) + '://'.repeat(1000)
  expect(redact(giant).text).toBe(giant)
})
