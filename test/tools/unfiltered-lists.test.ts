import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import type { Send } from '../../src/contract/base/wire.ts'
import { origin, startApp, type App } from '../app.ts'
import { connect } from '../mcp/clients.ts'
import { reshaped } from '../upstream/reshaped.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
  const product = { product_id: app.productId }
  for (const name of ['Checkout', 'Search']) {
    const { component } = await app.api.createComponent({ ...product, name, path_globs: [`src/${name}/**`] })
    for (const title of name === 'Search' ? ['One', 'Two', 'Three'] : ['Four']) {
      await app.api.createRequirement({ ...product, title: `${name} ${title}`, component_ids: [component.id] })
    }
  }
  for (const [type, environment] of Object.entries({ FirstError: 'staging', SecondError: 'production' })) {
    await app.ingest({ environment, exception: { values: [{ type }] } })
  }
})
afterAll(() => app.close())

async function answer(tool: string, args: Record<string, unknown>, ...names: string[]) {
  const send = reshaped(app.service.direct, ...names)
  await using agent = await connect(createApi({ send, baseUrl: origin, token: app.token, retries: 0 }))
  const { structured } = await agent.call(tool, args)
  return (structured as { answer: string }).answer
}

test.each(['ignores:component_id', 'refuses', 'refusesByName'])(
  'gaps of a component are those of no other: %s',
  async (name) => {
    expect(await answer('find_coverage_gaps', { component: 'Checkout' }, name)).toMatch(
      /^1 coverage gap of Checkout, worst first: 1 requirement without a test \(no_test\); all shown\.$/,
    )
  },
)

test.each(['ignores:environment_id', 'ignores:status'])(
  'issues are filtered where their rows say it: %s',
  async (name) => {
    expect(await answer('find_error_issues', { environment: 'staging' }, name)).toBe(
      '1 unresolved error issue in staging, last seen first; all shown.',
    )
  },
)

test('an environment that the rows do not show either is not said of them', async () => {
  const issues = reshaped(app.service.direct, 'ignores:environment_id', 'without:environments')
  const send: Send = (request) => (request.url.includes('/issues') ? issues(request) : app.service.direct(request))
  await using agent = await connect(createApi({ send, baseUrl: origin, token: app.token, retries: 0 }))
  const { text } = await agent.call('find_error_issues', { environment: 'staging' })
  expect(text).toContain(
    '2 unresolved error issues, last seen first; all shown. ' +
      'This deployment does not filter by environment: rows of any other may be among these.',
  )
})

test.each(['find_error_issues', 'find_coverage_gaps'])(
  '%s does not call a list complete that does not say so',
  async (tool) => {
    const found = await answer(tool, {}, 'noPaging')
    expect(found).toContain('This deployment does not say whether there are more.')
    expect(found).not.toContain('all shown')
  },
)

test('a deployment that ignores the page size gives the rows that were asked for', async () => {
  expect(await answer('find_error_issues', { limit: 1 }, 'allRows')).toContain('; 1 shown here.')
})
