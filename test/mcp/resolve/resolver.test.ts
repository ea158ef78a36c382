import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createResolver } from '../../../src/mcp/resolve/index.ts'
import type { Resolver } from '../../../src/mcp/resolve/types.ts'
import { startApp, type App } from '../../app.ts'
import { refusal } from './refusal.ts'

const whole = { filteredHere: [], notApplied: [], isComplete: true }
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

test('a prefix of several products is ambiguous, and each is listed with its id', async () => {
  const text = await refusal(resolver().product('Store'))
  expect(text).toContain('(ambiguous_name)')
  expect(text).toMatch(/Storefront \(\d+\), STOREFRONT EU|Store admin \(\d+\)/)
})

test('a write does not accept a prefix match', async () => {
  expect(await refusal(resolver().product('My', { write: true }))).toContain('product not found')
})

test('several products without a name is an error that lists them', async () => {
  const text = await refusal(resolver().product(undefined))
  expect(text).toContain('several products: say which')
  expect(text).toContain('1 (My product)')
  expect(text).toContain('next: The same call with a product, such as {"product":"1"}.')
})

test('a pinned product is the only visible one', async () => {
  const pinned = resolver('Storefront')
  expect(await pinned.product(undefined)).toMatchObject({ name: 'Storefront' })
  expect(await refusal(pinned.product('My product'))).toContain('product not found')
})

test('a version in two environments requires an environment', async () => {
  const [environment] = (await resolver().environments(app.productId)).rows.filter(
    ({ kind }) => kind === 'ENVIRONMENT_KIND_PREVIEW',
  )
  expect(await refusal(resolver().release(app.productId, '1.0.0', undefined))).toContain('pass environment too')
  const release = await resolver().release(app.productId, '1.0.0', environment?.id)
  expect(release.environment_id).toBe(environment?.id)
  expect(await resolver().release(app.productId, release.id, undefined)).toMatchObject({ id: release.id })
})

test('a call reads each list once', async () => {
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

test('a key with an unknown prefix is an error that lists the prefixes', async () => {
  expect(await refusal(resolver().issue('ZZZ-1'))).toMatch(/keys begin with (?:(?:APP|SHOP|ADM|EU)(?:, )?){4}\n/)
})

test('a key with another product than its own says which product is meant', async () => {
  const text = await refusal(resolver().issue('APP-1', 'Storefront'))
  expect(text).toContain('error: APP-1 is a key of product "My product", not of the product that you named')
  expect(text).toContain('next: The same call with product "1", or without product.')
  // Whose key it is, only somebody who sees both products is told.
  expect(await refusal(resolver('Storefront').issue('APP-1'))).toContain('error issue not found')
})

test('a number without its prefix is an error that names the key', async () => {
  expect(await refusal(resolver().issue('1', 'My product'))).toContain('issue: the whole key, APP-1')
  expect(await refusal(resolver('Storefront').issueReference('8'))).toContain('issue: the whole key, SHOP-8')
})

test('a key whose prefix two products have is ambiguous, and no issue is read', async () => {
  const products = [
    { id: '1', key_prefix: 'SHOP' },
    { id: '2', key_prefix: 'SHOP' },
  ]
  const twice = createResolver({
    api: {
      ...app.api,
      listProducts: () => Promise.resolve({ products, next_page_token: '', pagination: undefined, reading: whole }),
      listIssues: () => Promise.reject(new Error('read')),
    },
    pinned: undefined,
    signal: new AbortController().signal,
  })
  expect(await refusal(twice.issue('SHOP-1'))).toContain('(ambiguous_name)')
})

describe('references to issues', () => {
  const reads: string[] = []
  const watched = (pinned?: string) =>
    createResolver({
      api: {
        ...app.api,
        getIssue: (request, options) => {
          reads.push('getIssue')
          return app.api.getIssue(request, options)
        },
        listIssues: (request, options) => {
          reads.push(`listIssues of ${request.product_id}`)
          return app.api.listIssues(request, options)
        },
      },
      pinned,
      signal: new AbortController().signal,
    })
  let id: string
  beforeAll(async () => {
    await app.ingest({})
    const { issues } = await app.api.listIssues({ product_id: app.productId })
    id = issues[0]?.id ?? ''
  })
  beforeEach(() => void reads.splice(0))

  test.each([
    ['a key', 'app-1', undefined, ['listIssues of 1']],
    ['a key and its product', 'APP-1', 'My product', ['listIssues of 1']],
    ['an id and its product', '', '1', []],
    ['an id alone, of which only the issue says whose it is', '', undefined, ['getIssue']],
  ])('%s', async (_, given, product, expected) => {
    const place = await watched().issueReference(given || id, product)
    expect({ id: place.id, product: place.product.id, reads }).toEqual({ id, product: '1', reads: expected })
  })

  test('under a pin an issue is searched only in the pinned product', async () => {
    const pinned = watched('Storefront')
    expect(await refusal(pinned.issueReference('APP-1'))).toContain('error issue not found in product "Storefront"')
    // Whether the id is there, the path with the pinned product in it decides.
    expect(await pinned.issueReference(id)).toMatchObject({ id, product: { name: 'Storefront' } })
    expect(reads.filter((read) => read === 'getIssue' || read.endsWith(' 1'))).toEqual([])
  })

  test.each(['APP-99', 'ZZZ-1', '..', 'a/b', '01a1fc5a-b9b0-7003-af30-feb823c92525'])('no issue %s', async (given) => {
    expect(await refusal(watched().issueReference(given))).toContain('error issue not found')
  })
})

test.each(['a/b', '%2e%2e', '1?x', 'a b', '.', 'x'.repeat(200)])(
  '%j is not an id and is not requested',
  async (given) => {
    const silent = createResolver({
      api: { ...app.api, getIssue: () => Promise.reject(new Error('asked')) },
      pinned: undefined,
      signal: new AbortController().signal,
    })
    expect(await refusal(silent.issue(given))).toContain('error issue not found')
  },
)

test('an unknown key names the call that lists the issues of its product', async () => {
  const { id } = await resolver().product('Storefront')
  for (const find of [
    resolver().issue('SHOP-999'),
    resolver()
      .issueReference('SHOP-999')
      .then(({ missing }) => Promise.reject(missing())),
  ]) {
    const text = await refusal(find)
    expect(text).toContain('error issue not found in product "Storefront"')
    expect(text).toContain(`next: find_error_issues {"product":"${id}","status":"any","period":"30d"}`)
  }
})

test('of several products, what is no key of an issue leads to the products', async () => {
  for (const given of ['0197f3a2-0000-7000-8000-00000000dead', 'no such issue']) {
    const text = await refusal(resolver().issue(given))
    expect(text).toContain('next: get_workspace_context {}')
  }
})
