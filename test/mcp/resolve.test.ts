import { afterAll, beforeAll, expect, test } from 'vitest'
import { createResolver, type Resolver } from '../../src/mcp/resolve.ts'
import { errorText } from '../../src/mcp/teach.ts'
import { startApp, type App } from '../app.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
  const { workspaces } = await app.api.listWorkspaces({})
  for (const [name, prefix] of [
    ['Storefront', 'SHOP'],
    ['Store admin', 'ADM'],
    ['STOREFRONT EU', 'EU'],
  ] as const) {
    await app.api.createProduct({ workspace_id: workspaces[0]?.id ?? '', name, key_prefix: prefix })
  }
  for (const environment of ['production', 'preview']) {
    await app.api.upsertRelease({ product_id: app.productId, version: '1.0.0', environment })
  }
})
afterAll(() => app.close())

function resolver(pinned?: string): Resolver {
  return createResolver({ api: app.api, pinned, signal: new AbortController().signal })
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return errorText(error, { offers: () => true, pinned: false })
}

test.each([
  ['1', 'My product'],
  ['Storefront', 'Storefront'],
  ['storefront', 'Storefront'],
  ['SHOP', 'Storefront'],
  ['storefront eu', 'STOREFRONT EU'],
  ['My', 'My product'],
])('product %j is %s', async (given, name) => {
  expect(await resolver().product(given)).toMatchObject({ name })
})

test('a name that begins several products is ambiguous, and each is listed with its id', async () => {
  const text = await refusal(resolver().product('Store'))
  expect(text).toContain('(ambiguous_name, not retryable)')
  expect(text).toMatch(/Storefront \(\d+\), STOREFRONT EU|Store admin \(\d+\)/)
})

test('a write takes no name that was only begun', async () => {
  expect(await refusal(resolver().product('My', { write: true }))).toContain('product not found')
})

test('several products and none named is an error that lists them', async () => {
  const text = await refusal(resolver().product(undefined))
  expect(text).toContain('several products: say which')
  expect(text).toContain('1 (My product)')
})

test('one pinned product is the only one there is', async () => {
  const pinned = resolver('Storefront')
  expect(await pinned.product(undefined)).toMatchObject({ name: 'Storefront' })
  expect(await refusal(pinned.product('My product'))).toContain('product not found')
})

test('a version in two environments asks for one', async () => {
  const [environment] = (await resolver().environments(app.productId)).filter(
    ({ kind }) => kind === 'ENVIRONMENT_KIND_PREVIEW',
  )
  expect(await refusal(resolver().release(app.productId, '1.0.0', undefined))).toContain('pass environment too')
  const release = await resolver().release(app.productId, '1.0.0', environment?.id)
  expect(release.environment_id).toBe(environment?.id)
  expect(await resolver().release(app.productId, release.id, undefined)).toMatchObject({ id: release.id })
})

test('what a call read is read once', async () => {
  let reads = 0
  const counted = createResolver({
    api: {
      ...app.api,
      listEnvironments: (...args) => {
        reads += 1
        return app.api.listEnvironments(...args)
      },
    },
    pinned: undefined,
    signal: new AbortController().signal,
  })
  await Promise.all([counted.environment(app.productId, 'production'), counted.environment(app.productId, 'preview')])
  expect(reads).toBe(1)
})

test('a key that no product begins so lists what keys begin with', async () => {
  expect(await refusal(resolver().issue('ZZZ-1'))).toMatch(/keys begin with (?:(?:APP|SHOP|ADM|EU)(?:, )?){4}\n/)
})

test('a key whose prefix two products have is ambiguous, and no issue is read', async () => {
  const products = [
    { id: '1', key_prefix: 'SHOP' },
    { id: '2', key_prefix: 'SHOP' },
  ]
  const twice = createResolver({
    api: {
      ...app.api,
      listProducts: () => Promise.resolve({ products, next_page_token: '', pagination: undefined }),
      listIssues: () => Promise.reject(new Error('read')),
    },
    pinned: undefined,
    signal: new AbortController().signal,
  })
  expect(await refusal(twice.issue('SHOP-1'))).toContain('(ambiguous_name, not retryable)')
})

test.each(['a/b', '%2e%2e', '1?x', 'a b', '.', 'x'.repeat(200)])('%j is no id, and is not asked for', async (given) => {
  const silent = createResolver({
    api: { ...app.api, getIssue: () => Promise.reject(new Error('asked')) },
    pinned: undefined,
    signal: new AbortController().signal,
  })
  expect(await refusal(silent.issue(given))).toContain('error issue not found')
})
