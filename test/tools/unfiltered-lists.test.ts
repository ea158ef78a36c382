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
  await using agent = await agentAt(send)
  const { structured } = await agent.call(tool, args)
  return (structured as { answer: string }).answer
}

test('gaps of a component are those of no other, and not called all: a gap shows one of its components', async () => {
  expect(await answer('find_coverage_gaps', { component: 'Checkout' }, 'ignores:component_id')).toBe(
    'Coverage gaps of Checkout, worst first; 1 shown here. This deployment does not say whether there are more.',
  )
})

test.each(['refuses', 'refusesByName'])('a filter that the specification names is kept: %s', async (name) => {
  expect(await answer('find_coverage_gaps', { component: 'Checkout' }, name)).toBe(
    '1 coverage gap of Checkout, worst first: 1 requirement without a test (no_test); all shown.',
  )
})

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

async function agentAt(send: Send) {
  return connect(createApi({ send, baseUrl: origin, token: app.token, retries: 0 }), { options: { toolsets: ['all'] } })
}

test.each([
  ['with totals', []],
  ['without totals, to its end', ['noTotals']],
  ['not filtered', ['ignores:coverage_state']],
  ['not filtered, of rows without a state', ['ignores:coverage_state', 'without:state']],
  ['not said to end', ['noPaging']],
])('what a requirement was before a report is said only of a list that shows it: %s', async (kind, names) => {
  const { requirement } = await app.api.createRequirement({ product_id: app.productId, title: kind })
  await using agent = await agentAt(reshaped(app.service.direct, ...names))
  const send = (status: string) => {
    const test = { name: `proves [${requirement.key ?? ''}]`, status, duration: 1 }
    return agent.call('ingest_test_report', {
      report: JSON.stringify({ results: { tool: { name: 't' }, tests: [test] } }),
    })
  }
  await send('passed')
  const { structured } = await send('failed')
  const [row] = (structured as { data: { requirements: { was?: string }[] } }).data.requirements
  expect(row?.was).toBe(kind.startsWith('with') || kind === 'not filtered' ? 'verified' : undefined)
})

test('a known test is not made again where the deployment searches neither by file nor by title', async () => {
  const place = { file_path: 'test/known.test.ts', suite_path: [], name: 'known' }
  const made = { product_id: app.productId, kind: 'TEST_KIND_CASE' as const, title: 'known', automation_ref: place }
  const { test: known } = await app.api.createTest(made)
  const count = async () => (await app.api.listTests({ product_id: app.productId })).pagination?.total_size
  const before = await count()
  const tests = [{ title: 'known', file: 'test/known.test.ts', requirement_ids: ['REQ-2'] }]
  const unsearched = ['ignores:file_path', 'ignores:q']
  for (const names of [unsearched, [...unsearched, 'smallPages'], ['refuses'], [...unsearched, 'noPaging']]) {
    await using agent = await agentAt(reshaped(app.service.direct, ...names))
    const { text } = await agent.call('record_tests', { tests })
    expect(text).toContain(`${known.key ?? ''} | already`)
  }
  // Neither list was read to its end, so that the test may be among the rest.
  const other = { tests: [{ title: 'unknown', file: 'test/other.test.ts', requirement_ids: ['REQ-1'] }] }
  await using agent = await agentAt(reshaped(app.service.direct, ...unsearched, 'noPaging'))
  expect((await agent.call('record_tests', other)).text).toContain('this deployment does not search')
  await using hidden = await agentAt(reshaped(app.service.direct, 'ignores:file_path', 'without:automation_ref'))
  expect((await hidden.call('record_tests', { tests })).text).toContain('this deployment does not show its file')
  expect(await count()).toBe(before)
})

test('linked tests are counted only among the tests that are linked, and a list without an end is said', async () => {
  const made = { product_id: app.productId, kind: 'TEST_KIND_CASE' as const, title: 'proves the fourth' }
  const { test: proof } = await app.api.createTest(made)
  const { requirements } = await app.api.listRequirements({ product_id: app.productId, q: 'Checkout Four' })
  await app.api.linkTest({ test_id: proof.id, requirement_id: requirements[0]?.id ?? '' })
  const requirement = { requirement: requirements[0]?.key }
  const unnamed = ['noRoute:getRequirement', 'ignores:requirement_id']
  const whole = await answer('get_requirement', requirement, ...unnamed)
  expect(whole).toContain('1 linked test')
  expect(whole).not.toContain('looked for')
  expect(await answer('get_requirement', requirement, ...unnamed, 'noPaging')).toMatch(
    /1 linked test.* Linked tests were looked for among the first \d+ tests; there may be more\./,
  )
})

test('lists of names say when they may have more, and a release is found among more than fifty', async () => {
  const path = `/v1/products/${app.productId}/releases`
  for (let number = 0; number < 55; number += 1) {
    await app.request('POST', path, { version: `shop@1.${String(number)}`, environment: 'production' })
  }
  const include = { include: ['releases', 'components'] }
  const more = 'There may be more than the first 50 releases.'
  const listed = await answer('get_workspace_context', include)
  expect(listed).toContain(more)
  expect(listed).not.toContain('components')
  expect(await answer('get_workspace_context', { ...include, match: 'shop@9' })).toContain(
    'None of these 50 releases has "shop@9" in its name.',
  )
  expect(await answer('get_workspace_context', include, 'noPaging')).toContain('the first 2 components')
  expect(await answer('find_error_issues', { release: 'shop@1.0' }, 'ignores:version')).toContain('shop@1.0')
  await using agent = await agentAt(reshaped(app.service.direct, 'ignores:version', 'noPaging'))
  expect((await agent.call('find_error_issues', { release: 'shop@9.9' })).text).toMatch(
    /release not found among the first \d+ /,
  )
})
