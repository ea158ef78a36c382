import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../../src/contract/index.ts'
import { insertProduct } from '../../../../src/service/workspace/products.ts'
import { systemPlatform } from '../../../../src/service/shared/platform.ts'
import { startApp } from '../../../app.ts'
import { startTree } from '../../branches/branch-tree.ts'
import { fixContextOf, issuesOf } from './fix-context.ts'

interface Failure {
  message: string
  details: { reason?: string }[]
}

test('the environments have shares, releases and times, most occurrences first', async () => {
  await using app = await startApp()
  const now = Date.parse(new Date().toISOString())
  const events = [
    ['staging', '1.1', 9],
    ['production', '1.0', 8],
    ['production', '1.1', 7],
    ['preview-of-ada', undefined, 6],
    ['production', '1.1', 5],
  ] as const
  for (const [environment, release, ago] of events)
    await app.ingest({ environment, release, timestamp: (now - ago * 1000) / 1000 })
  const { environments } = await fixContextOf(app)
  expect(environments.map(({ environment_id: id, ...rest }) => ({ ...rest, hasId: id !== '' }))).toEqual([
    {
      environment: 'production',
      environment_known: true,
      count: 3,
      share: 0.6,
      first_seen: new Date(now - 8000).toISOString(),
      last_seen: new Date(now - 5000).toISOString(),
      releases: ['1.1', '1.0'],
      hasId: true,
    },
    expect.objectContaining({ environment: 'preview-of-ada', environment_known: false, count: 1, releases: [] }),
    expect.objectContaining({ environment: 'staging', environment_known: true, share: 0.2, releases: ['1.1'] }),
  ])
})

test('many environments and releases are cut, and the cut is named', async () => {
  await using app = await startApp()
  const names = Array.from({ length: 23 }, (_, index) => `env-${index}`)
  const events = names.map((environment) => ({ environment }))
  const releases = Array.from({ length: 12 }, (_, index) => ({ environment: 'production', release: `1.${index}` }))
  await app.ingest(...events, ...releases)
  const { environments, truncation_signals: signals } = await fixContextOf(app)
  expect([environments.length, environments[0]?.releases.length]).toEqual([20, 10])
  expect(signals).toEqual(expect.arrayContaining(['environments:count:20/24', 'environments.releases:count:10/12']))
})

test('the newest occurrence is shown, of one environment on request', async () => {
  await using app = await startApp()
  const now = Date.now() / 1000
  await app.ingest({ environment: 'staging', timestamp: now - 20, transaction: 'GET /old' })
  await app.ingest({ environment: 'production', timestamp: now - 10, transaction: 'GET /new' })
  const usual = await fixContextOf(app)
  expect(usual.event?.transaction).toBe('GET /new')
  const staging = usual.environments.find(({ environment }) => environment === 'staging')!
  const there = await fixContextOf(app, { environment_id: staging.environment_id })
  expect(there.event?.transaction).toBe('GET /old')
  expect(there.environments).toEqual(usual.environments)
  const nowhere = await fixContextOf(app, { environment_id: 'none' })
  expect([nowhere.event, nowhere.frames, nowhere.files]).toEqual([null, [], []])
})

test('the component is shown in full, the branch echoed, and no requirement is claimed', async () => {
  await using app = await startApp()
  const glob = { name: 'Cart', path_globs: ['src/cart/**'] }
  await app.request('POST', `/v1/products/${app.productId}/components`, glob)
  await app.ingest({})
  const fix = await fixContextOf(app, { branch: 'feature/cart' })
  expect(fix.component).toMatchObject({ slug: 'cart', path_globs: ['src/cart/**'], stats: { unresolved_issues: 1 } })
  expect([fix.git_ref, fix.requirements]).toEqual(['feature/cart', []])
  expect((await fixContextOf(app)).git_ref).toBe('')
})

/** A product with a crash in the cart, a requirement of the file in the main tree, and one on a branch. */
async function startCart() {
  const app = await startTree()
  await app.ingest({})
  const cart = { code_refs: [{ path: 'src/cart/cart.ts' }] }
  await app.tree.requirement({ title: 'Total', ...cart })
  const facts = { name: 'guests', git_ref: 'feature/guests' }
  const { body } = await app.request<ResponseOf<'createBranch'>>('POST', `${app.tree.product}/branches`, facts)
  const branch = body.branch.id
  await app.tree.requirement({ title: 'Guest', ...cart, branch_id: branch })
  const titles = async (query: Record<string, string> = {}) =>
    (await fixContextOf(app, query)).requirements.map(({ title }) => title)
  return Object.assign(app, { branch, titles })
}

test('an open branch, by id or name, shows the requirements that it has for the files, and its git ref', async () => {
  await using app = await startCart()
  expect(await app.titles()).toEqual(['Total'])
  for (const branch of [app.branch, 'guests']) {
    const fix = await fixContextOf(app, { branch })
    expect(fix.requirements.map(({ key, title }) => [key, title])).toEqual([
      ['REQ-?1', 'Guest'],
      ['REQ-1', 'Total'],
    ])
    expect(fix.git_ref).toBe('feature/guests')
  }
  expect(await app.titles({ branch: 'Guests' })).toEqual(['Total'])
})

test('a closed branch is refused by its id, and its name is echoed', async () => {
  await using app = await startCart()
  await app.request('DELETE', `/v1/branches/${app.branch}`)
  await expect(app.titles({ branch: app.branch })).rejects.toThrow('BRANCH_NOT_OPEN')
  const fix = await fixContextOf(app, { branch: 'guests' })
  expect([fix.git_ref, fix.requirements.map(({ title }) => title)]).toEqual(['guests', ['Total']])
})

test('reproduction names transaction, request and the first ten tags', async () => {
  await using app = await startApp()
  const tags = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`tag${index}`, `value ${index}`]))
  const request = { method: 'POST', url: 'https://shop.example/pay', headers: { accept: '*/*' } }
  await app.ingest({ transaction: 'POST /pay', request, tags })
  const { reproduction, truncation_signals: signals } = await fixContextOf(app)
  expect(reproduction).toMatchObject({
    transaction: 'POST /pay',
    request: { method: 'POST', url: 'https://shop.example/pay' },
    tags: { tag0: 'value 0', tag9: 'value 9' },
  })
  expect(Object.keys(reproduction.tags)).toHaveLength(10)
  expect(signals).toContain('reproduction.tags:count:10/12')
})

test('an issue of another product, or none, is not found', async () => {
  await using app = await startApp()
  await app.ingest({})
  const { id } = (await issuesOf(app))[0]!
  const { workspace_id: workspace } = await app.db.read
    .selectFrom('product')
    .select('workspace_id')
    .executeTakeFirstOrThrow()
  const facts = { name: 'Other', slug: 'other', key_prefix: 'OTHER' }
  const other = await app.db.write((rows) => insertProduct(rows, systemPlatform, workspace, facts))
  const ask = (product: string, issue: string) =>
    app.request<Failure>('GET', `/v1/products/${product}/issues/${issue}/fix-context`)
  expect((await ask(app.productId, id)).status).toBe(200)
  for (const [product, issue] of [
    [String(other.id), id],
    [app.productId, 'nothing'],
  ] as const) {
    const { status, body } = await ask(product, issue)
    expect([status, body.details[0]?.reason]).toEqual([404, 'ISSUE_NOT_FOUND'])
  }
  expect((await ask('999', id)).body.details[0]?.reason).toBe('PRODUCT_NOT_FOUND')
})

test('where product and issue are both missing, the product is said', async () => {
  await using app = await startApp()
  const { status, body } = await app.request<Failure>('GET', '/v1/products/999/issues/none/fix-context')
  expect([status, body.details[0]?.reason]).toEqual([404, 'PRODUCT_NOT_FOUND'])
})

test('limits outside their range are refused', async () => {
  await using app = await startApp()
  await app.ingest({})
  const wrong = [
    ['max_frames', '0'],
    ['max_frames', '101'],
    ['max_files', '101'],
    ['max_requirements', '0'],
  ] as const
  for (const [name, value] of wrong) await expect(fixContextOf(app, { [name]: value })).rejects.toThrow(name)
})
