import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import type { Send } from '../../src/contract/base/wire.ts'
import { origin, startApp, type App } from '../app.ts'
import { connect, type Connected } from './clients.ts'

let app: App
let agent: Connected
let otherId: string
const urls: string[] = []

beforeAll(async () => {
  app = await startApp()
  await app.ingest({})
  const { workspaces } = await app.api.listWorkspaces({})
  const { product } = await app.api.createProduct({
    workspace_id: workspaces[0]?.id ?? '',
    name: 'Other',
    key_prefix: 'OTH',
  })
  otherId = product.id
  const send: Send = (request) => {
    urls.push(request.url)
    return app.service.direct(request)
  }
  // Pinned to the product without issues: every issue there is belongs to another.
  agent = await connect(createApi({ send, baseUrl: origin, token: app.token }), { options: { product: 'Other' } })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await app.close()
})

test('no tool has a product parameter', async () => {
  const listed = await agent.list()
  expect(listed.filter(({ inputSchema: { properties = {} } }) => 'product' in properties)).toEqual([])
})

test('an issue of another product is not found, by id or key, for reads and writes', async () => {
  const { issues } = await app.api.listIssues({ product_id: app.productId })
  for (const issue of [issues[0]?.id ?? '', 'APP-1', '../APP-1', '%2e%2e/1']) {
    const read = await agent.call('get_error_issue', { issue })
    expect([issue, read.isError]).toEqual([issue, true])
    expect(read.text).not.toContain('TypeError')
    const { text } = await agent.call('set_error_issue_status', { issues: [issue], status: 'ignored', reason: 'r' })
    expect(text).toMatch(/not found|invalid_argument/)
  }
  expect((await app.api.listIssues({ product_id: app.productId })).issues[0]?.status).toBe('unresolved')
})

test.each(['1', 'My product', '..', '1/../1', '%31', `${'.'}%2e`])(
  'naming product %j is an error, and no request goes to another product',
  async (product) => {
    urls.length = 0
    const found = await agent.call('find_error_issues', { product })
    expect(found.text).toContain('unknown parameter product')
    await agent.call('find_error_issues')
    await agent.call('find_error_issues', { environment: `../../${product}/issues` })
    const products = urls.flatMap((url) => /^\/v1\/products\/([^/]+)/.exec(new URL(url).pathname)?.[1] ?? [])
    expect([...new Set(products)]).toEqual([otherId])
  },
)

test('naming the pinned product itself is no mistake', async () => {
  for (const product of [otherId, 'Other', 'other']) {
    expect((await agent.call('find_error_issues', { product })).isError).toBe(false)
  }
})

test('a pinned product that the token does not see is an error', async () => {
  await using lost = await connect(app.api, { options: { product: 'Nowhere' } })
  const { text } = await lost.call('find_error_issues')
  expect(text).toContain('the product this server is pinned to is not among those the token may see')
  expect(text).toContain('= "Nowhere"')
  expect(text).toMatch(
    /set TRACEGATE_PRODUCT to one of: .*Other \(\d+\).*; or to make the product with tracegate init --name\.$/m,
  )
})
