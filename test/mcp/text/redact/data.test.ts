import { expect, test } from 'vitest'
import { Untrusted } from '../../../../src/contract/base/text.ts'
import { openBlock } from '../../../../src/mcp/text/open-block.ts'
import { quoted } from '../../../../src/mcp/text/untrusted.ts'

const shown = async (data: unknown) =>
  JSON.stringify((await openBlock({ data: quoted`${new Untrusted(data)}` })).content)
const secret = 'hunter2Kanari'

test.each([
  [{ pass: secret }],
  [{ pw: secret }],
  [{ passwd2: secret }],
  [{ PASSWORD_1: secret }],
  [{ userPass: secret }],
  [{ Passwort: secret }],
  [{ contraseña: secret }],
  [{ name: 'password', value: secret }],
  [{ value: secret, name: 'password' }],
  [{ Key: 'X-Api-Key', Value: secret }],
  [{ header: 'Authorization', value: [secret] }],
  [[['authorization', secret]]],
  [['--password', secret]],
  [['login', '-token', secret, 'now']],
  [['Host', 'shop.example', 'Authorization', secret]],
  [{ headers: ['Accept', '*/*', 'Cookie', secret] }],
  [
    {
      headers: [
        ['Accept', '*/*'],
        ['Set-Cookie', secret],
      ],
    },
  ],
  [{ [`token=${secret}`]: 1 }],
  [{ note: `denied\nBearer ${secret}` }],
  [{ note: `denied\tpassword=${secret}` }],
  [{ deep: [{ deeper: { text: `\u001b[31mpassword: ${secret}` } }] }],
])('in %j the secret is replaced', async (data) => {
  expect(await shown(data)).not.toContain(secret)
})

test.each([
  [{ pass: 3, fail: 1 }],
  [{ pass: '3', cookies: 2 }],
  [{ passed: 'checkout', compass: 'north' }],
  [{ name: 'password rules', value: 'long' }],
  [{ fields: ['password', 'email', 'name'] }],
  [{ token_count: 12, author: 'bob' }],
  [{ password: true, token: null }],
  [['--reporter', 'json']],
])('%j stays as it is', async (data) => {
  expect(await openBlock({ data: quoted`${new Untrusted(data)}` })).toMatchObject({
    content: { data: JSON.stringify(data) },
    redacted: {},
  })
})

test('of a long text only what can be shown is read, and what is missing is counted', async () => {
  const text = `password=${secret} ${'a '.repeat(500_000)}`
  const { content, redacted } = await openBlock({ text: quoted`${new Untrusted(text)}`.cut(100) })
  expect(content['text']).toMatch(/^password=\[redacted:secret\] (?:a )+a?… \(\+\d+ characters\)$/)
  expect(redacted).toEqual({ secret: 1 })
  const missing = Number(/\+(\d+)/.exec(JSON.stringify(content['text']))?.[1])
  expect(missing).toBeGreaterThan(999_000)
  expect(missing).toBeLessThan(text.length)
})

test('a secret that lies across the end of what is read is not shown', async () => {
  for (let before = 1100; before < 1240; before += 1) {
    const jwt = `eyJ${'x'.repeat(1000)}.${'y'.repeat(50)}`
    const text = `${jwt} ${'b'.repeat(before - jwt.length)} ghp_${'aB3dE5gH7j'.repeat(4)} ${'c'.repeat(2000)}`
    const { content } = await openBlock({ text: quoted`${new Untrusted(text)}`.cut(200) })
    expect(JSON.stringify(content)).not.toContain('ghp_aB3d')
  }
})
