import { systemPlatform } from '../../../src/service/shared/platform.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { insertProduct, suggestKeyPrefix, slugify } from '../../../src/service/workspace/products.ts'
import { origin, startApp, type App } from '../../app.ts'
import { existingIdOf, reasonOf, workspaceId } from '../people.ts'

interface Created {
  product: { id: string; slug: string; key_prefix: string; ingest: Record<string, string> }
}

async function create(app: App, body: object) {
  return app.request<Created>('POST', `/v1/workspaces/${await workspaceId(app)}/products`, body)
}

test('a product has the default gate policy and settings, and a DSN that takes events', async () => {
  await using app = await startApp()
  const { body } = await create(app, { name: 'Shop', repository: { url: 'https://git.example/shop' } })
  expect(body.product).toMatchObject({
    slug: 'shop',
    key_prefix: 'SHOP',
    repository: { url: 'https://git.example/shop', default_branch: '', path_strip_prefixes: [] },
    gate_policy: { result_max_age_hours: 336, conditions: { length: 10 } },
    settings: { reopen_on_regression: true, retention_days: 90, max_events_per_issue: 1000 },
    setup_state: 'SETUP_STATE_INCOMPLETE',
    counts: { requirements: 0, components: 0, unresolved_issues: 0 },
  })
  const { dsn, envelope_url: envelopeUrl, public_key: publicKey = '' } = body.product.ingest
  const { id } = body.product
  expect(dsn).toBe(origin.replace('//', `//${publicKey}@`) + `/${id}`)
  expect(envelopeUrl).toBe(`${origin}/api/${id}/envelope/`)
  const event = '{}\n{"type":"event"}\n{"message":"hello"}'
  const sent = await app.request('POST', `/api/${id}/envelope/?svc_key=${publicKey}`, event)
  expect(sent.status).toBe(200)
  const { body: listed } = await app.request('GET', `/v1/workspaces/${await workspaceId(app)}/products?slug=shop`)
  expect(listed).toMatchObject({ products: [{ counts: { environments: 1, unresolved_issues: 1 } }] })
})

test('a product counts what it has, and not what is deleted or another product has', async () => {
  await using app = await startApp()
  const { api, productId: product_id } = app
  await create(app, { name: 'Empty' })
  for (const title of ['one', 'two']) await api.createRequirement({ product_id, title })
  const { requirement } = await api.createRequirement({ product_id, title: 'gone' })
  await api.deleteRequirement({ id: requirement.id })
  await api.createTest({ product_id, kind: 'TEST_KIND_SUITE', title: 'a suite' })
  await api.createTest({ product_id, kind: 'TEST_KIND_CASE', title: 'a case' })
  await api.createComponent({ product_id, name: 'Cart', path_globs: ['src/cart/**'] })
  await app.ingest({ environment: 'production', release: 'shop@1' }, { environment: 'staging', release: 'shop@1' })
  const { products } = await api.listProducts({ workspace_id: await workspaceId(app) })
  const counts = Object.fromEntries(products.map(({ name, counts: own }) => [name, own]))
  expect(counts).toEqual({
    'My product': { requirements: 2, tests: 1, components: 1, environments: 2, releases: 2, unresolved_issues: 1 },
    Empty: { requirements: 0, tests: 0, components: 0, environments: 0, releases: 0, unresolved_issues: 0 },
  })
})

test('the addresses of the ingest are those of the host that the caller used', async () => {
  await using app = await startApp()
  const reply = await app.service.handle({
    method: 'GET',
    url: `https://errors.example:8443/v1/workspaces/${await workspaceId(app)}/products`,
    headers: { authorization: `Bearer ${app.token}` },
  })
  expect(reply.body).toContain(`"dsn":"https://${app.publicKey}@errors.example:8443/1"`)
})

test('slug and key prefix made from a name are free ones; given ones that are taken are refused with their owner', async () => {
  await using app = await startApp()
  const names = ['Über Shop', 'Uber Shop', 'über-shop', '日本']
  const made = []
  for (const name of names) made.push((await create(app, { name })).body.product)
  expect(made.map(({ slug }) => slug)).toEqual(['uber-shop', 'uber-shop-2', 'uber-shop-3', 'product'])
  expect(made.map(({ key_prefix: prefix }) => prefix)).toEqual(['US', 'US2', 'US3', 'PRODUCT'])
  for (const taken of [
    { name: 'x', slug: 'uber-shop' },
    { name: 'x', key_prefix: 'US' },
  ]) {
    const reply = await create(app, taken)
    expect([reply.status, reasonOf(reply)]).toEqual([409, 'PRODUCT_EXISTS'])
    expect(existingIdOf(reply)).toBe(made[0]?.id)
  }
})

test('a key prefix of another workspace is refused without saying whose it is', async () => {
  await using app = await startApp()
  const other = await app.db.write(async (rows) => {
    const own = await rows.selectFrom('workspace').selectAll().executeTakeFirstOrThrow()
    await rows
      .insertInto('workspace')
      .values({ ...own, id: 'other', slug: 'other' })
      .execute()
    return insertProduct(rows, systemPlatform, 'other', { name: 'Secret', key_prefix: 'SECRET' })
  })
  const reply = await create(app, { name: 'x', key_prefix: 'SECRET' })
  expect([reply.status, reasonOf(reply), existingIdOf(reply)]).toEqual([409, 'PRODUCT_EXISTS', undefined])
  expect(JSON.stringify(reply.body)).not.toContain(`product ${String(other.id)}`)
})

test('whatever the name, slug and key prefix are well formed', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }), (name) => {
      expect(slugify(name)).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
      expect(suggestKeyPrefix(name)).toMatch(/^[A-Z][A-Z0-9]{1,9}$/)
    }),
  )
})

test('products are listed by name', async () => {
  await using app = await startApp()
  for (const name of ['b', 'c', 'a']) await create(app, { name })
  const { body } = await app.request<{ products: { name: string }[] }>(
    'GET',
    `/v1/workspaces/${await workspaceId(app)}/products`,
  )
  expect(body.products.map(({ name }) => name)).toEqual(['My product', 'a', 'b', 'c'])
})

test('an unknown workspace is not found', async () => {
  await using app = await startApp()
  expect(reasonOf(await app.request('GET', '/v1/workspaces/nope/products'))).toBe('WORKSPACE_NOT_FOUND')
  expect((await app.request('POST', '/v1/workspaces/nope/products', { name: 'x' })).status).toBe(404)
})

test('workspaces are listed with role and number of products', async () => {
  await using app = await startApp()
  await create(app, { name: 'Shop' })
  const { body } = await app.request('GET', '/v1/workspaces')
  expect(body).toMatchObject({ workspaces: [{ product_count: 2, role: 'WORKSPACE_ROLE_OWNER' }] })
})
