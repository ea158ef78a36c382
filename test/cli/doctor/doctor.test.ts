import { afterAll, beforeAll, expect, test } from 'vitest'
import { replyText, type Send } from '../../../src/contract/base/wire.ts'
import { scanOnce } from '../../mcp/checks/calls.ts'
import { openQualityShop, type QualityShop } from '../../tools/quality-shop.ts'
import { checkoutCrash } from '../../tools/shop.ts'
import { reshaped } from '../../upstream/reshaped.ts'
import { watched } from '../../upstream/watched.ts'
import { doctor } from './deployment.ts'

let shop: QualityShop

beforeAll(async () => {
  shop = await openQualityShop()
  await shop.api.createBranch({ product_id: shop.productId, name: 'pricing' })
  await scanOnce(shop, shop.productId)
  await shop.crash(20, checkoutCrash('ann'))
  await shop.crash(10, checkoutCrash('bob'))
})
afterAll(() => shop.close())

/** What doctor prints about a deployment, from the service on, and what it asked for. */
async function examine(send: Send, args: readonly string[] = []) {
  const upstream = watched(send)
  const { code, stdout, stderr } = await doctor(upstream, shop.token, args)
  expect(stderr).toBe('')
  expect(stdout).not.toContain(shop.token)
  const offers = stdout.split('\n\n')[1] ?? ''
  expect(offers.split('\n').filter(({ length }) => length > 98)).toEqual([])
  expect(upstream.log.map(({ method }) => method).filter((method) => method !== 'GET')).toEqual([])
  expect(upstream.log.length).toBeLessThanOrEqual(70)
  return { code, report: stdout.replace(/^[^]*?(?=\w+ +service:)/, ''), requests: upstream.log }
}

const lacking = (...names: string[]) => reshaped(shop.service.direct, ...names.map((name) => `noRoute:${name}`))

test('a deployment with the whole API offers everything, which takes reads alone', async () => {
  const { code, report, requests } = await examine(shop.service.direct)
  expect(code).toBe(0)
  expect(report)
    .toBe(`ok    service: tracegate 0.0.0-test at http://deployment.example accepts the token of owner@localhost

What it offers, asked for with ${String(requests.length)} reads of the product My product:
offered    everything that the tools read
not tried  writes: doctor only reads

What takes room there is not known: no endpoint says it. Run doctor where the data directory is.
`)
  const other = await examine(reshaped(shop.service.direct, 'camelCase', 'int64', 'enumsInLowerCase', 'inData'))
  expect(other.report).toBe(report)
})

test('missing endpoints are named with what the tools do without them, and are no failure', async () => {
  const { code, report } = await examine(lacking('getMe', 'getFixContext', 'getTestContext', 'listCoverageGaps'))
  expect(code).toBe(0)
  expect(report).toMatchInlineSnapshot(`
    "ok    service: a service at http://deployment.example answers; it does not say whose token this is

    What it offers, asked for with 60 reads of the product My product:
    offered    workspaces, products, issues, single issues, occurrences, single occurrences, several
                 occurrences at once, statistics, issues of a release, requirements, single
                 requirements, tests, single tests, links of tests, components, quality branches,
                 single quality branches, link proposals, environments, single environments, releases,
                 single releases, quality gate verdicts, traceability, agent types, agent configs,
                 single agent configs, agent runs, single agent runs, events of agent runs
    missing    auth/me: get_workspace_context does not say who is logged in
               fix context: get_fix_context is made from the issue and its latest occurrence;
                 requirements and related issues are not stated
               coverage gaps: find_coverage_gaps does not work; list_requirements shows the coverage
                 of each requirement
               test context: get_test_context is made from the requirement and its links; past
                 failures, conventions and similar tests are not stated
    dry_run    the service does not name itself tracegate: previews are made from reads, or refused
    not tried  writes: doctor only reads

    What takes room there is not known: no endpoint says it. Run doctor where the data directory is.
    "
  `)
})

test('filters that have no effect are named with the tool that sends them', async () => {
  const names = ['ignores:q', 'ignores:short_id', 'ignores:environment_id', 'ignores:levels', 'ignores:status']
  const { code, report } = await examine(reshaped(shop.service.direct, ...names))
  expect(code).toBe(0)
  expect(report).toContain(`
ignored    status, levels, environment_id, q, short_id of issues (find_error_issues)
           environment_id, q of occurrences (get_error_issue)
           status, levels of issues of a release (find_error_issues)
           q of requirements (list_requirements)
           q of tests (list_tests)
           environment_id of releases
           the tools apply them to the first 1,000 rows, or say that they are not applied
`)
  expect(report).not.toMatch(/refused|paging|missing/)
})

test.each(['refusesByName', 'refuses'])('refused parameters are told from refused values (%s)', async (name) => {
  const { code, report } = await examine(reshaped(shop.service.direct, name))
  expect(code).toBe(0)
  expect(report).toContain(`
refused    q, short_id, first_release_id of issues (find_error_issues)
           q, sdk_event_id of occurrences (get_error_issue)
           q, key of requirements (list_requirements)
           result_status, q, key of tests (list_tests)
           version of releases
           the tools apply them to the first 1,000 rows, or say that they are not applied
           view of requirements: left out
           max_files, max_similar_tests, max_tokens of test context: left out
           view of tests: left out
`)
  expect(report).toContain("paging     page_size is not followed: pages have the deployment's own size (")
})

test('a deployment that refuses an id that does not exist knows the filter', async () => {
  const ids = new Set(
    (await shop.api.listEnvironments({ product_id: shop.productId })).environments.map(({ id }) => id),
  )
  const { report } = await examine((request) => {
    const id = new URL(request.url).searchParams.get('environment_id')
    const refusal = { status: 400, headers: {}, body: '{"code":3,"message":"no such environment","details":[]}' }
    return id === null || ids.has(id) ? shop.service.direct(request) : Promise.resolve(refusal)
  })
  expect(report).toContain('offered    everything that the tools read\n')
})

test('totals, ends of lists and keys that are not stated are named', async () => {
  const { report } = await examine(reshaped(shop.service.direct, 'noPaging', 'without:key'))
  expect(report).toMatch(/\npaging {5}no totals: answers count only the rows that they show \(/)
  expect(report).toMatch(/\n {11}the end is not marked: answers do not say whether there are more rows \(/)
  expect(report).toContain('\nkeys       rows have none: the tools show ids and take ids (requirements, tests)\n')
})

test('what fails is a line of the report and not its end', async () => {
  const { code, report } = await examine((request) =>
    /\/stats|\/components/.test(request.url)
      ? Promise.resolve({ status: 500, headers: {}, body: `ignore this \u001b[2J ${shop.token}` })
      : shop.service.direct(request),
  )
  expect(code).toBe(0)
  expect(report).toMatch(/\nfailed {5}statistics: GET \/v1\/issues\/\{id\}\/stats returned 500\n {11}components: GET/)
  expect(report).not.toContain('ignore this')
  expect(report).not.toContain('\u001b')
})

test('what a deployment is too busy for is asked for again', async () => {
  let refusals = 0
  const { report } = await examine((request) => {
    if (!/\/stats/.test(request.url) || refusals > 1) return shop.service.direct(request)
    refusals += 1
    return Promise.resolve({ status: 429, headers: {}, body: '' })
  })
  expect(refusals).toBe(2)
  expect(report).toContain('\noffered    everything that the tools read\n')
})

test('what has no row to ask about is said', async () => {
  const { code, report } = await examine(async (request) => {
    const isList = /\/(?:issues|tests)\?/.test(request.url)
    return isList
      ? { status: 200, headers: {}, body: `{"${/\w+(?=\?)/.exec(request.url)?.[0] ?? ''}":[]}` }
      : shop.service.direct(request)
  })
  expect(code).toBe(0)
  expect(report).toContain(`
not tried  single issues, occurrences, single occurrences, several occurrences at once,
             statistics, fix context: there are no issues to read
           single tests, links of tests: there are no tests to read
           filters of issues, issues of a release, tests: the lists are empty
           writes: doctor only reads
`)
})

test('a deployment without issues, or without products, fails with what to do', async () => {
  const issues = await examine(lacking('listIssues'))
  expect(issues.code).toBe(1)
  expect(issues.report).toMatch(/FAIL {2}issues: this deployment does not list issues\n {6}fix: check that http/)
  const products = await examine(lacking('listProducts'))
  expect(products.code).toBe(1)
  expect(products.report).toMatch(/FAIL {2}product: .* does not list .*\n {6}fix: .* set TRACEGATE_PRODUCT to the id/)
  const pinned = await examine(lacking('listProducts'), ['--product', shop.productId])
  expect(pinned.code).toBe(0)
  expect(pinned.report).toContain('missing    products: the product is the id in TRACEGATE_PRODUCT\n')
})

test('an address where web pages answer is asked once and is wrong', async () => {
  const { code, report, requests } = await examine(reshaped(shop.service.direct, 'htmlReads'))
  expect(code).toBe(1)
  expect(report).toMatch(/^FAIL {2}service: .* is an HTML page.*\n {6}fix: .* does not answer like the service: .*\n$/)
  expect(requests).toHaveLength(1)
  const notFound = await examine(() => Promise.resolve({ status: 404, headers: {}, body: '<html>Not Found</html>' }))
  expect(notFound.report).toMatch(/^FAIL {2}service: .*\n {6}fix: .* does not answer like the service: .*\n$/)
})

test('of several products the one with the most open issues is asked about', async () => {
  const { workspaces } = await shop.api.listWorkspaces({})
  await shop.api.createProduct({ workspace_id: workspaces[0]?.id ?? '', name: 'Unused' })
  const sorted = (order: 1 | -1): Send => {
    return async (request) => {
      const reply = await shop.service.direct(request)
      if (!/\/workspaces\/[^/]+\/products/.test(request.url)) return reply
      const body = JSON.parse(await replyText(reply)) as { products: { id: string }[] }
      body.products.sort((one, other) => order * (Number(one.id) - Number(other.id)))
      return { ...reply, body: JSON.stringify(body) }
    }
  }
  for (const order of [1, -1] as const) {
    const { report } = await examine(sorted(order))
    expect(report).toContain('reads of the product My product:\n')
  }
})
