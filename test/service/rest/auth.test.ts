import { expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { reasonOf, tokenHeaders } from '../people.ts'

test.each([
  ['no header', undefined, 'TOKEN_MISSING'],
  ['another scheme', 'Basic b3duZXI6eA==', 'TOKEN_MISSING'],
  ['an empty bearer', 'Bearer ', 'TOKEN_MISSING'],
  ['an unknown token', `Bearer tg_${'x'.repeat(40)}`, 'TOKEN_INVALID'],
])('%s is answered 401 with the reason and the scheme to use', async (_case, authorization, reason) => {
  await using app = await startApp()
  const reply = await app.request('GET', '/v1/auth/me', undefined, { authorization })
  expect(reply.status).toBe(401)
  expect(reply.headers['www-authenticate']).toBe('Bearer')
  expect(reply.body).toMatchObject({ code: 16, details: [{ reason, domain: 'tracegate' }] })
})

test('a token is refused from the moment it expires, and once it is revoked', async () => {
  let now = 1_000_000
  await using app = await startApp({ platform: { now: () => now } })
  const short = await tokenHeaders(app, { expiresAt: now + 1 })
  expect((await app.request('GET', '/v1/auth/me', undefined, short)).status).toBe(200)
  now += 1
  expect(reasonOf(await app.request('GET', '/v1/auth/me', undefined, short))).toBe('TOKEN_EXPIRED')
  const revoked = await tokenHeaders(app, { revokedAt: now })
  expect(reasonOf(await app.request('GET', '/v1/auth/me', undefined, revoked))).toBe('TOKEN_INVALID')
})

test('every token may read; writing needs the scope, which the failure names', async () => {
  await using app = await startApp()
  const reader = await tokenHeaders(app, { scopes: [] })
  const path = `/v1/products/${app.productId}/environments`
  expect((await app.request('GET', path, undefined, reader)).status).toBe(200)
  const reply = await app.request('POST', path, { name: 'qa' }, reader)
  expect(reply.status).toBe(403)
  expect(reply.body).toMatchObject({ code: 7, details: [{ reason: 'SCOPE_MISSING', metadata: { scope: 'write' } }] })
})

test('paths of a working tree, which vouch for files, are stored only for a token that may write', async () => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/test-generation-context:prepare`
  const reader = await tokenHeaders(app, { scopes: [] })
  expect((await app.request('POST', path, {}, reader)).status).toBe(403)
  expect((await app.request('POST', path, {})).status).toBe(400)
})

test('what belongs to a workspace the token cannot see does not exist for it', async () => {
  await using app = await startApp()
  const stranger = await tokenHeaders(app, { stranger: true, scopes: ['write', 'admin'] })
  const { body } = await app.request<{ environment: { id: string } }>(
    'POST',
    `/v1/products/${app.productId}/environments`,
    { name: 'qa' },
  )
  const workspace = await app.db.read.selectFrom('workspace').select('id').executeTakeFirstOrThrow()
  for (const [method, path] of [
    ['GET', `/v1/products/${app.productId}/environments`],
    ['GET', `/v1/products/${app.productId}/releases`],
    ['GET', `/v1/products/${app.productId}/components`],
    ['GET', `/v1/products/${app.productId}/issues`],
    ['POST', `/v1/products/${app.productId}/setup:verify`],
    ['GET', `/v1/environments/${body.environment.id}`],
    ['DELETE', `/v1/environments/${body.environment.id}`],
    ['GET', `/v1/workspaces/${workspace.id}/products`],
  ] as const) {
    expect([path, (await app.request(method, path, undefined, stranger)).status]).toEqual([path, 404])
  }
  expect((await app.request('GET', '/v1/workspaces', undefined, stranger)).body).toMatchObject({ workspaces: [] })
})

test('the use of a token is noted at most once a minute', async () => {
  let now = 5_000_000
  await using app = await startApp({ platform: { now: () => now } })
  const lastUse = async () => {
    await app.request('GET', '/v1/auth/me')
    // A write of ours queues behind the one that nobody waits for.
    await app.request('PUT', '/v1/auth/onboarding', { onboarding: {} })
    return (await app.db.read.selectFrom('token').select('last_used_at').executeTakeFirstOrThrow()).last_used_at
  }
  expect(await lastUse()).toBe(5_000_000)
  now += 59_999
  expect(await lastUse()).toBe(5_000_000)
  now += 1
  expect(await lastUse()).toBe(5_060_000)
  now -= 1_000_000
  expect(await lastUse()).toBe(4_060_000)
})

test('an audit row says that a tool made the change, and the actor stays the person', async () => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/environments`
  await app.request('POST', path, { name: 'by hand' })
  await app.request('POST', path, { name: 'by a tool' }, { 'x-svc-via': 'mcp' })
  await app.request('POST', path, { name: 'by something else' }, { 'x-svc-via': 'browser' })
  await app.api.upsertRelease({ product_id: app.productId, environment: 'by hand', version: '1.0.0' })
  const rows = await app.db.read.selectFrom('audit').select(['actor', 'via']).orderBy('id').execute()
  expect(rows.map(({ via }) => via)).toEqual(['', 'mcp', '', 'mcp'])
  expect(new Set(rows.map(({ actor }) => actor)).size).toBe(1)
})

test.each(['person', 'agent', 'ci'] as const)('auth/me says that a token is of the kind %s', async (kind) => {
  await using app = await startApp()
  const { body } = await app.request('GET', '/v1/auth/me', undefined, await tokenHeaders(app, { kind }))
  expect(body).toMatchObject({ token: { kind } })
})

test('the actor of a write is the token and the person behind it; an agent says that it is one', async () => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/environments`
  await app.request('POST', path, { name: 'one' })
  await app.request('POST', path, { name: 'two' }, await tokenHeaders(app, { kind: 'agent' }))
  const owner = await app.db.read.selectFrom('user').selectAll().executeTakeFirstOrThrow()
  const audits = await app.db.read.selectFrom('audit').selectAll().orderBy('id').execute()
  expect(audits.map(({ actor }) => JSON.parse(actor) as unknown)).toEqual([
    { type: 'ACTOR_TYPE_API_TOKEN', id: expect.any(String), display_name: 'Owner', user_id: owner.id },
    { type: 'ACTOR_TYPE_AGENT', id: expect.any(String), display_name: 'Owner', user_id: owner.id },
  ])
})
