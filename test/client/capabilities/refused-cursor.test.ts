import { afterAll, beforeAll, expect, test } from 'vitest'
import { Capabilities } from '../../../src/client/capabilities/capabilities.ts'
import { createApi } from '../../../src/client/client.ts'
import type { Send, WireReply } from '../../../src/contract/base/wire.ts'
import { origin, startApp, type App } from '../../app.ts'
import { connect } from '../../mcp/clients.ts'
import { watched } from '../../upstream/watched.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
  for (const type of ['FirstError', 'SecondError', 'ThirdError']) {
    await app.ingest({ environment: 'production', exception: { values: [{ type }] } })
  }
})
afterAll(() => app.close())

/** What deployments answer to a cursor that they do not know or no longer keep. */
const refusals: Readonly<Record<string, [status: number, body: string]>> = {
  '400 without a name': [400, '{"code":3,"message":"bad token"}'],
  '400 with no form': [400, 'Bad Request'],
  '404 of the service': [404, '{"code":5,"message":"cursor not found"}'],
  '404 with no form': [404, 'Not Found'],
  '409 of the service': [409, '{"code":10,"message":"cursor expired"}'],
  '410 of the service': [410, '{"code":5,"message":"continue token expired"}'],
  '410 with no form': [410, 'Gone'],
  '412': [412, '{"code":9,"message":"snapshot is gone"}'],
  '422': [422, '{"error":{"code":"INVALID_ARGUMENT"}}'],
}

/** A deployment that refuses the cursor "old", and knows every other one. */
function refusing([status, body]: [number, string]): Send {
  return async (request) => {
    const token = new URL(request.url).searchParams.get('pagination.page_token')
    const reply: WireReply = { status, headers: { 'content-type': 'application/json' }, body }
    return token === 'old' ? reply : await app.service.direct(request)
  }
}

function deployment(send: Send) {
  const seen = watched(send)
  const capabilities = new Capabilities()
  return {
    seen,
    capabilities,
    api: createApi({ send: seen, baseUrl: origin, token: app.token, retries: 0, capabilities }),
  }
}

test.each(Object.keys(refusals))(
  'an agent whose cursor the service answers with %s is told to call without it',
  async (way) => {
    const { api } = deployment(refusing(refusals[way] ?? [0, '']))
    await using agent = await connect(api)
    const { text, isError } = await agent.call('find_error_issues', { match: 'Error', cursor: 'old', limit: 2 })
    expect(isError).toBe(true)
    expect(text).toBe(
      'error: the service does not accept this cursor (invalid_argument)\n' +
        'you sent: cursor = "old"\n' +
        'expected: cursor: next_cursor of the same call, or leave cursor out\n' +
        'next: Correct the named parameter and call again.',
    )
  },
)

test.each(Object.keys(refusals))('nothing is learned of filters and endpoints from %s to a cursor', async (way) => {
  const { api, capabilities } = deployment(refusing(refusals[way] ?? [0, '']))
  const request = { product_id: app.productId, q: 'Error', page_size: 2 }
  await expect(api.listIssues({ ...request, page_token: 'old' })).rejects.toMatchObject({
    code: 'invalid_argument',
    violations: [{ field: 'page_token' }],
  })
  const { isMissing, parameters } = capabilities.facts('/v1/products/{product_id}/issues')
  expect(isMissing).toBeUndefined()
  expect(Object.values(parameters)).not.toContain('refused')
  const page = await api.listIssues(request)
  expect(page.issues).toHaveLength(2)
  expect(page.reading).toMatchObject({ filteredHere: [], notApplied: [] })
  expect((await api.listIssues({ ...request, page_token: page.next_page_token ?? '' })).issues).toHaveLength(1)
})

test('a cursor is not blamed where the list is refused without it too', async () => {
  const { api, seen } = deployment(() =>
    Promise.resolve({ status: 404, headers: {}, body: '{"code":5,"message":"no such product"}' }),
  )
  const request = { product_id: app.productId, page_token: 'old' }
  await expect(api.listIssues(request)).rejects.toMatchObject({ code: 'not_found' })
  expect(seen.log).toHaveLength(2)
})

test('a page that goes on after a restart is read from a deployment that refuses other parameters', async () => {
  const { api } = deployment(async (request) => {
    const url = new URL(request.url)
    if (url.searchParams.has('pagination.page_size')) return { status: 400, headers: {}, body: '{"code":3}' }
    // A token of our service belongs to pages of one size.
    url.searchParams.set('pagination.page_size', '1')
    return await app.service.direct({ ...request, url: url.href })
  })
  const query = { product_id: app.productId, page_size: 1 }
  const { next_page_token: token = '' } = await app.api.listIssues(query)
  expect((await api.listIssues({ ...query, page_token: token })).issues).toHaveLength(1)
})
