import * as z from 'zod'
import type { Api } from '../../../src/client/api.ts'
import type { Reading } from '../../../src/client/capabilities/reading.ts'
import { rowId, rowsIn } from '../../../src/client/capabilities/rows.ts'
import { Capabilities } from '../../../src/client/capabilities/capabilities.ts'
import { createApi } from '../../../src/client/client.ts'
import { pathParameters, type Endpoint } from '../../../src/contract/base/endpoint.ts'
import type { Send } from '../../../src/contract/base/wire.ts'
import { contract, type EndpointName } from '../../../src/contract/index.ts'
import { gateScope } from '../../../src/contract/quality-gate/gate.ts'
import { pending } from '../../../src/service/handlers/pending.ts'
import { origin, type App } from '../../app.ts'
import { runElsewhere, type RunElsewhere } from '../../service/agents/run-elsewhere.ts'
import { openQualityShop, type QualityShop } from '../../tools/quality-shop.ts'
import { checkoutCrash } from '../../tools/shop.ts'

export type Query = Readonly<Record<string, unknown>>

/** A list of the service with the values that each of its parameters is tried with. */
export interface List {
  name: EndpointName
  endpoint: Endpoint
  /** Its path parameters. */
  of: Query
  values: Readonly<Record<string, readonly unknown[]>>
}

/** A page of any list, as far as the tests compare it. */
export interface Rows {
  ids: unknown[]
  reading: Reading
  next: string
}

export interface EveryList extends AsyncDisposable {
  app: App
  /** When all of its events happened and all requests are made. */
  now: () => number
  lists: readonly List[]
}

/** Endpoints that the service does not have yet. */
const unbuilt: ReadonlySet<string> = new Set(pending)
const noon = Date.UTC(2026, 10, 21, 12)
const unknownId = '00000000-0000-7000-8000-999999999999'

/** A small product with rows of every kind: two environments, releases and components, and every list of it. */
export async function openEveryList(): Promise<EveryList> {
  const shop = await openQualityShop()
  const { api, productId: product_id } = shop
  await shop.request('POST', `/v1/products/${product_id}/components`, { name: 'Search', path_globs: ['src/search/**'] })
  await shop.crash(50, checkoutCrash('ann'))
  await shop.crash(40, { ...checkoutCrash('bob'), environment: 'staging', release: 'shop@1.5.0' })
  const places = [
    { platform: 'node', level: 'fatal', environment: 'production', release: 'shop@1.4.0' },
    { platform: 'python', level: 'warning', environment: 'staging', release: 'shop@1.5.0' },
    { platform: 'node', level: 'error', environment: 'staging', release: 'shop@1.4.0' },
    { platform: 'javascript', level: 'error', environment: 'production', release: 'shop@1.5.0' },
  ]
  for (const [index, place] of places.entries()) {
    const file = `src/search/place${String(index)}.ts`
    const frames = [{ function: `find${String(index)}`, filename: file, lineno: 7, colno: 3, in_app: true }]
    const type = `Search${String(index)}Error`
    const exception = { values: [{ type, value: 'is out of range', stacktrace: { frames } }] }
    await shop.crash(60 * 24 * 3 * index + 30, { ...place, exception })
  }
  const { issues } = await api.listIssues({ product_id, sort: 'times_seen' })
  await api.setIssueStatus({ id: issues[2]?.id ?? '', status: 'resolved' })
  const { components } = await api.listComponents({ product_id })
  await api.createRequirement({
    product_id,
    title: 'Search finds a receipt',
    tags: ['search', 'money'],
    component_ids: components.map(({ id }) => id),
    code_refs: [{ path: 'src/search/**' }],
  })
  const suites = await api.listTests({ product_id, kind: 'TEST_KIND_SUITE' })
  await api.createTest({
    product_id,
    kind: 'TEST_KIND_CASE',
    title: 'Search by receipt',
    parent_id: suites.tests[0]?.id,
    component_ids: [components[0]?.id ?? ''],
    framework: 'vitest',
    tags: ['search'],
  })
  const branchId = await proposeLinks(shop)
  const run = await followedRun(shop)
  const lists = await describeLists(shop, { branchId, run })
  return { app: shop, now: () => noon, lists, [Symbol.asyncDispose]: () => shop.close() }
}

/** A quality branch with link proposals of several confidences; returns its id. */
async function proposeLinks({ api, productId: product_id, ids }: QualityShop): Promise<string> {
  const { branch } = await api.createBranch({ product_id, name: 'pricing' })
  const links = [
    ['TC-2', 'REQ-3', 0.9],
    ['TC-3', 'REQ-3', 0.6],
    ['TC-4', 'REQ-4', 0.6],
    ['TC-2', 'REQ-4', 0.3],
  ] as const
  for (const [test, requirement, confidence] of links) {
    const link = { test_id: ids[test] ?? '', requirement_id: ids[requirement] ?? '', confidence }
    await api.linkTest({ ...link, branch_id: branch.id })
  }
  return branch.id
}

/** A run of an agent with events. */
async function followedRun(shop: QualityShop): Promise<RunElsewhere> {
  const config = { product_id: shop.productId, agent_type_id: 'coverage_gap_scan' }
  const { agent_config } = await shop.api.createAgentConfig(config)
  const run = await runElsewhere(shop, agent_config.id)
  await run.log(6)
  await run.succeed()
  return run
}

async function describeLists(
  { api, productId: product_id }: App,
  { branchId, run }: { branchId: string; run: RunElsewhere },
): Promise<List[]> {
  const { environments } = await api.listEnvironments({ product_id })
  const { releases } = await api.listReleases({ product_id })
  const { components } = await api.listComponents({ product_id })
  const { requirements } = await api.listRequirements({ product_id })
  const { tests } = await api.listTests({ product_id })
  const { issues } = await api.listIssues({ product_id, sort: 'times_seen' })
  const { workspaces } = await api.listWorkspaces({})
  const { events } = await api.listIssueEvents({ id: issues[0]?.id ?? '' })
  const linked = await api.listTests({ product_id, linked: true })
  const ids = (rows: readonly { id: string }[]) => rows.slice(0, 3).map(({ id }) => id)
  const keys = (rows: readonly { key?: string }[]) => rows.slice(0, 3).map(({ key }) => key)
  const of: Query = {
    workspace_id: workspaces[0]?.id,
    product_id,
    branch_id: branchId,
    test_id: linked.tests[0]?.id,
    release_id: releases[0]?.id,
    id: issues[0]?.id,
    agent_config_id: run.configId,
    run_id: run.id,
  }
  const values: Query = {
    slug: ['my-product', 'none'],
    environment_id: [...ids(environments), unknownId],
    environment: ['production', 'staging', 'none'],
    release_id: [...ids(releases), unknownId],
    first_release_id: [...ids(releases), unknownId],
    version: ['shop@1.4.0', 'shop@1.5.0', 'none'],
    component_id: [...ids(components), unknownId],
    parent_id: [...ids(requirements), ...ids(tests), unknownId],
    requirement_id: [...requirements.map(({ id }) => id), unknownId],
    test_id: [...ids(linked.tests), unknownId],
    key: [...keys(requirements), ...keys(tests), 'REQ-99'],
    short_id: [...issues.slice(0, 3).map(({ short_id }) => short_id), 'PRODUCT-99'],
    sdk_event_id: [...events.map(({ sdk_event_id }) => sdk_event_id), 'f'.repeat(32)],
    tag: ['money', 'search', 'none'],
    platforms: ['node', 'javascript', 'python', 'none'],
    name: ['production', 'Production', 'pricing', 'none'],
    path: ['src/cart/total.ts', 'src/search/place1.ts', 'none.ts'],
    file_path: ['test/cart.test.ts', 'test/*.ts', 'none.ts'],
    framework: ['vitest', 'none'],
    q: ['search', 'CART total', 'receipt money', 'place1', 'out of range', 'checkout', 'nowhere'],
    updated_since: ['2020-01-01T00:00:00Z', '2026-11-21T11:45:00.000Z', '2030-01-01T00:00:00Z'],
    window: ['1d', '7d', '30d'],
    after_sequence: [0, 4, 99],
    min_score: [0, 20, 100],
    min_confidence: [0, 0.6, 1],
    branch_id: [],
    page_token: [],
    page_size: [],
    limit: [],
  }
  return (Object.keys(contract) as EndpointName[])
    .filter((name) => 'next_page_token' in contract[name].returns.shape && !unbuilt.has(name))
    .map((name) => {
      const endpoint = contract[name] as Endpoint
      const inPath = pathParameters(endpoint.path)
      const notTried = [...inPath, ...(name === 'getTraceability' ? notOfRows : [])]
      const query = Object.entries(endpoint.input.shape).filter(([parameter]) => !notTried.includes(parameter))
      return {
        name,
        endpoint,
        of: Object.fromEntries(inPath.map((parameter) => [parameter, of[parameter]])),
        values: Object.fromEntries(
          query.map(([parameter, schema]) => [parameter, valuesFor(parameter, schema, values)]),
        ),
      }
    })
}

/** Parameters of the matrix that select its results or its format. They do not filter rows. */
const notOfRows = [...Object.keys(gateScope), 'format', 'include', 'view']

/** The values that the contract lists for the parameter, else those given. */
function valuesFor(parameter: string, schema: z.core.$ZodType, given: Query): readonly unknown[] {
  if (schema instanceof z.ZodOptional) return valuesFor(parameter, schema.unwrap(), given)
  if (schema instanceof z.ZodPipe) return valuesFor(parameter, schema.out, given)
  if (schema instanceof z.ZodUnion) return valuesFor(parameter, schema.options.at(-1) as z.core.$ZodType, given)
  if (schema instanceof z.ZodEnum) return schema.options
  if (schema instanceof z.ZodBoolean) return [true, false]
  if (schema instanceof z.ZodArray) {
    const items = valuesFor(parameter, schema.element, given)
    return [...items.map((item) => [item]), ...(items.length > 1 ? [items.slice(0, 2)] : [])]
  }
  const known = given[parameter]
  if (!Array.isArray(known)) throw new Error(`the lists know no value of ${parameter}: give it some`)
  return known as unknown[]
}

/** A client that has learned nothing yet of the deployment that `send` is, and what it learns. */
export function learner({ app, now }: EveryList, send: Send = app.service.direct) {
  const capabilities = new Capabilities({ now })
  return { api: createApi({ send, baseUrl: origin, token: app.token, retries: 0, capabilities, now }), capabilities }
}

type ListAnswer = Record<string, unknown> & { reading: Reading; next_page_token: string }

/** One page of a list. */
export async function readRows(api: Api, { name, endpoint, of }: List, query: Query): Promise<Rows> {
  const read = api[name] as (request: Query) => Promise<ListAnswer>
  const page = await read({ ...of, ...query })
  const ids = rowsIn(endpoint, page).map(rowId)
  return { ids, reading: page.reading, next: page.next_page_token }
}

/** All pages of a list: its rows, and the parameters that were not applied to some of them. */
export async function readAll(api: Api, list: List, query: Query): Promise<{ ids: unknown[]; notApplied: string[] }> {
  const ids: unknown[] = []
  const notApplied = new Set<string>()
  for (let token: string | undefined, pages = 0; token !== '' && pages < 30; pages += 1) {
    const page = await readRows(api, list, { ...query, ...(token !== undefined && { page_token: token }) })
    ids.push(...page.ids)
    for (const name of page.reading.notApplied) notApplied.add(name)
    token = page.next
  }
  return { ids, notApplied: [...notApplied] }
}
