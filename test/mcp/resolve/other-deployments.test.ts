import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import { createResolver } from '../../../src/mcp/resolve/index.ts'
import { origin, startApp, type App } from '../../app.ts'
import { reshaped } from '../../upstream/reshaped.ts'
import { watched } from '../../upstream/watched.ts'
import { refusal } from './refusal.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
  const product = { product_id: app.productId }
  for (const title of ['Cart total', 'Card is charged', 'Mail is sent']) {
    await app.api.createRequirement({ ...product, title })
    await app.api.createTest({ ...product, title: `proves: ${title}`, kind: 'TEST_KIND_CASE' })
  }
  for (const type of ['FirstError', 'SecondError', 'ThirdError']) {
    await app.ingest({ environment: 'production', exception: { values: [{ type }] } })
  }
})
afterAll(() => app.close())

function resolver(...names: string[]) {
  const seen = watched(reshaped(app.service.direct, ...names))
  const api = createApi({ send: seen, baseUrl: origin, token: app.token, retries: 0 })
  return { seen, resolve: createResolver({ api, pinned: undefined, signal: new AbortController().signal }) }
}

test.each([
  ['ignored', ['ignores:short_id', 'ignores:key', 'ignores:q', 'ignores:version']],
  ['refused', ['refuses']],
  ['refused by name', ['refusesByName']],
  [
    'ignored, as is the page size',
    ['ignores:short_id', 'ignores:key', 'ignores:q', 'ignores:version', 'smallPages', 'allRows'],
  ],
])('keys and titles are found where the filters for them are %s', async (_, names) => {
  const { resolve } = resolver(...names)
  const { issues } = await app.api.listIssues({ product_id: app.productId })
  for (const { id, short_id: key = '' } of issues) expect((await resolve.issue(key)).issue.id).toBe(id)
  expect((await resolve.requirement('REQ-2')).requirement.title).toBe('Card is charged')
  expect((await resolve.requirement('mail is sent')).requirement.key).toBe('REQ-3')
  expect((await resolve.test('TC-3')).test.key).toBe('TC-3')
  expect(await resolve.environment(app.productId, 'production')).toMatchObject({ id: expect.any(String) })
  expect(await refusal(resolve.requirement('REQ-9'))).toContain('requirement not found')
})

test('a key costs one request when it is known that the filter is ignored', async () => {
  const { resolve, seen } = resolver('ignores:key')
  await resolve.requirement('REQ-2')
  const before = seen.log.length
  await resolve.requirement('REQ-3')
  expect(seen.log.length - before).toBe(1)
})

test('a deployment whose rows have no keys is said to show none', async () => {
  const { resolve } = resolver('ignores:key', 'without:key', 'ignores:short_id', 'without:short_id', 'refuses')
  const { issues } = await app.api.listIssues({ product_id: app.productId })
  const key = issues[0]?.short_id ?? ''
  expect(await refusal(resolve.issue(key))).toContain('this deployment does not show the keys of error issues')
  expect(await refusal(resolve.requirement('REQ-1'))).toContain(
    'this deployment does not show the keys of requirements',
  )
})

test('a list that does not say that it ends leaves open whether a key exists', async () => {
  const { resolve } = resolver('ignores:key', 'noPaging')
  expect(await refusal(resolve.requirement('REQ-9'))).toContain(
    'requirement not found among the first 3: this deployment does not search',
  )
})

test('pages that repeat give no row twice', async () => {
  const { resolve } = resolver('repeatsToken')
  expect(await resolve.products()).toHaveLength(1)
  expect((await resolve.environments(app.productId)).rows).toHaveLength(1)
})

test('a name that is beyond the first thousand rows is not said to be missing', async () => {
  let page = 0
  const listEnvironments = () => {
    page += 1
    const environments = Array.from({ length: 200 }, (_, row) => ({ id: `e${String(page)}-${String(row)}` }))
    const reading = { filteredHere: [], notApplied: [], isComplete: false }
    return Promise.resolve({ environments, next_page_token: String(page), pagination: undefined, reading })
  }
  const signal = new AbortController().signal
  const many = createResolver({ api: { ...app.api, listEnvironments }, pinned: undefined, signal })
  expect(await refusal(many.environment(app.productId, 'canary'))).toContain(
    'environment not found among the first 1,000 (not_found)',
  )
  expect(page).toBe(5)
})
