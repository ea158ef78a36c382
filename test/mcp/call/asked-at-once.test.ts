import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import { openShop, type Shop } from '../../tools/shop.ts'
import { connect } from '../clients.ts'

let shop: Shop
let workspaceId: string
beforeAll(async () => {
  shop = await openShop()
  const { workspaces } = await shop.api.listWorkspaces({})
  workspaceId = workspaces[0]?.id ?? ''
  await shop.crash(2)
  await shop.crash(1)
})
afterAll(() => shop.close())

/** A deployment that notes the paths of requests, and keeps one waiting until another has been asked for. */
function deployment() {
  const sent: string[] = []
  let waiting = { held: '', until: '', asked: Promise.withResolvers<void>() }
  return {
    sent,
    hold(this: void, held: string, until: string) {
      waiting = { held, until, asked: Promise.withResolvers() }
    },
    api: createApi({
      async send(request) {
        const path = new URL(request.url).pathname
        sent.push(path)
        if (path.endsWith(waiting.until)) waiting.asked.resolve()
        if (path.endsWith(waiting.held)) await waiting.asked.promise
        return shop.service.direct(request)
      },
      baseUrl: 'http://quality.example',
      token: shop.token,
      via: 'mcp',
    }),
  }
}

test('from the second call on the products of a workspace are asked for before the list of workspaces has answered', async () => {
  const { api, hold, sent } = deployment()
  await using agent = await connect(api)
  await agent.call('get_workspace_context')
  const before = sent.length
  hold('/v1/workspaces', '/products')
  expect((await agent.call('find_error_issues')).isError).toBe(false)
  const directory = ['/v1/workspaces', `/v1/workspaces/${workspaceId}/products`]
  expect(sent.slice(before).toSorted()).toEqual(['/v1/products/1/issues', ...directory])
})

test('a workspace that is gone is left out, and one that is new is found', async () => {
  const seen = { ids: ['00000000-0000-7000-8000-00000000dead'] }
  await using agent = await connect(shop.api, { seen })
  const { text } = await agent.call('find_error_issues')
  expect(text).toContain('APP-1')
  expect(seen.ids).toEqual([workspaceId])
})

test('occurrences of an issue that is named by its key are compared while its fix context is made', async () => {
  const { api, hold, sent } = deployment()
  await using agent = await connect(api)
  hold('/fix-context', '/events')
  const { text } = await agent.call('get_fix_context', { issue: 'APP-1' })
  expect(text).toContain('compared: all 2 occurrences')
  expect(sent.filter((path) => /fix-context|events/.test(path))).toHaveLength(3)
})
