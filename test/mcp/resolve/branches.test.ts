import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import { createResolver } from '../../../src/mcp/resolve/index.ts'
import { origin, startApp, type App } from '../../app.ts'
import { reshaped } from '../../upstream/reshaped.ts'
import { refusal } from './refusal.ts'

let app: App
let otherId: string
/** Ids of branches by name: two are open here, one was closed, one is of the other product. */
const ids: Record<string, string> = {}
beforeAll(async () => {
  app = await startApp()
  const { workspaces } = await app.api.listWorkspaces({})
  const workspace = workspaces[0]?.id ?? ''
  otherId = (await app.api.createProduct({ workspace_id: workspace, name: 'Other', key_prefix: 'OTH' })).product.id
  for (const [name, product] of [
    ['pricing', app.productId],
    ['Pricing 2', app.productId],
    ['old', app.productId],
    ['search', otherId],
  ] as const) {
    ids[name] = (await app.api.createBranch({ product_id: product, name })).branch.id
  }
  await app.api.deleteBranch({ id: ids['old'] ?? '' })
})
afterAll(() => app.close())

/** Resolves as a call does, pinned to a product or not, behind a deployment with these reshapings. */
function resolver({ pinned, names = [] }: { pinned?: string; names?: string[] } = {}) {
  const send = reshaped(app.service.direct, ...names)
  const api = createApi({ send, baseUrl: origin, token: app.token, retries: 0 })
  return createResolver({ api, pinned, signal: new AbortController().signal })
}

test.each([
  ['pricing', 'pricing'],
  ['PRICING', 'pricing'],
  ['pricing 2', 'Pricing 2'],
])('quality branch %j is the open one named %j', async (given, name) => {
  expect(await resolver().branch(given, app.productId)).toMatchObject({ name, product_id: app.productId })
})

test('an id is the open branch with it, and without a product the branch tells its own', async () => {
  expect(await resolver().branch(ids['pricing'] ?? '', app.productId)).toMatchObject({ name: 'pricing' })
  expect(await resolver().branch(ids['search'] ?? '', undefined)).toMatchObject({ product_id: otherId })
  expect(await resolver().branch('search', undefined)).toMatchObject({ product_id: otherId })
})

test('any other name is refused with the open branches, and that a git branch is something else', async () => {
  const text = await refusal(resolver().branch('feature/x', app.productId))
  expect(text.replaceAll(/[0-9a-f-]{36}/g, 'ID')).toMatchInlineSnapshot(`
    "error: quality branch not found (not_found)
    you sent: branch = a text of 9 characters
    expected: open: Pricing 2 (ID), pricing (ID). A quality branch holds planned requirements, a git branch is something else
    next: get_workspace_context {"product":"1","include":["branches"]}"
  `)
  expect(await refusal(resolver().branch('pric', app.productId))).toContain('quality branch not found')
})

test('a branch that was closed is not open, by its name and by its id', async () => {
  for (const given of ['old', ids['old'] ?? '']) {
    const text = await refusal(resolver().branch(given, app.productId))
    expect(text).toMatch(/^error: quality branch old was closed \(failed_precondition: BRANCH_NOT_OPEN/)
  }
})

describe('a pinned product', () => {
  test.each(['search', 'id'])('does not find the branch of another one by its %s', async (by) => {
    const given = by === 'id' ? (ids['search'] ?? '') : 'search'
    const pinned = resolver({ pinned: app.productId })
    expect(await refusal(pinned.branch(given, undefined))).toContain('quality branch not found')
    expect(await refusal(pinned.branch(given, app.productId))).toContain('quality branch not found')
  })
})

describe('a deployment that does not list branches', () => {
  test('takes an id, whose product it is asked for, and says of a name what is missing', async () => {
    const foreign = resolver({ names: ['noRoute:listBranches'] })
    expect(await foreign.branch(ids['pricing'] ?? '', app.productId)).toMatchObject({ product_id: app.productId })
    expect(await refusal(foreign.branch(ids['search'] ?? '', app.productId))).toContain('not_found')
    expect(await refusal(foreign.branch('pricing', app.productId))).toContain(
      'this deployment does not offer quality branches (feature_disabled',
    )
  })

  test('takes an id as it is where it does not show single branches either', async () => {
    const foreign = resolver({ names: ['noRoute:listBranches', 'noRoute:getBranch'] })
    expect(await foreign.branch(ids['pricing'] ?? '', app.productId)).toEqual({ id: ids['pricing'] })
  })
})
