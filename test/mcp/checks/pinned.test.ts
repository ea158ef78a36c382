import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import type { Send, WireRequest } from '../../../src/contract/base/wire.ts'
import { words } from '../../../src/mcp/define/parameters.ts'
import { surface } from '../../../src/surface.ts'
import { origin, startApp, type App } from '../../app.ts'
import { connect, type Called, type Connected } from '../clients.ts'
import { examples } from '../../tools/examples.ts'
import { rememberedReads } from '../../upstream/remembered.ts'
import { callVariants, draftBranch, recordFailure, scanOnce, type Known } from './calls.ts'
import { closedMachine } from './machine.ts'

/** Stands in every text of the other product that no caller knows. */
const MARK = 'OTHERPRODUCT'

let app: App
let agent: Connected
let pinnedId: string
/** Things of the pinned product. */
let ours: Known
/** Ids, keys and names of things of the other product, by what they are. */
let theirs: Map<string, string[]>
const sent: { method: string; url: string; writes: boolean }[] = []

beforeAll(async () => {
  app = await startApp()
  const { workspaces } = await app.api.listWorkspaces({})
  const { product } = await app.api.createProduct({
    workspace_id: workspaces[0]?.id ?? '',
    name: 'Pinned',
    key_prefix: 'PIN',
  })
  pinnedId = product.id
  await app.api.upsertRelease({ product_id: pinnedId, version: '1.0.0', environment: 'production' })
  await app.api.createComponent({ product_id: pinnedId, name: 'Ours', path_globs: ['src/**'] })
  await app.api.upsertRelease({ product_id: app.productId, version: 'theirs-2', environment: 'their-env' })
  await app.api.createComponent({ product_id: app.productId, name: 'Their part', path_globs: [`${MARK}/**`] })
  await app.ingest({ message: MARK, environment: 'their-env', release: 'theirs-2', transaction: MARK })
  ours = new Map([...(await readThings(pinnedId, 'PIN-1')), ...(await recordFailure(app, pinnedId))])
  await recordFailure(app, app.productId, MARK)
  const drafted = await draftBranch(app, pinnedId)
  ours = new Map([...ours, ...drafted, ...(await scanOnce(app, pinnedId))])
  const theirRun = new Map(await scanOnce(app, app.productId))
  const theirDraft = new Map(await draftBranch(app, app.productId, MARK))
  theirs = await readEverything(app.productId)
  theirs.set('proposal', [theirDraft.get('proposal') ?? ''])
  theirs.set('run', [theirRun.get('run') ?? ''])
  // Each call asks for the product by its name, with the same answers.
  const answers = rememberedReads(app.service.direct, { until: 'a write' })
  const send: Send = (request) => {
    sent.push({ method: request.method, url: request.url, writes: writes(request) })
    return answers(request)
  }
  const api = createApi({ send, baseUrl: origin, token: app.token })
  agent = await connect(api, { options: { toolsets: ['all'], product: 'Pinned', local: true }, ...closedMachine })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await app.close()
})

async function readRows(id: string) {
  const product = { product_id: id }
  const { issues } = await app.api.listIssues(product)
  const { environments } = await app.api.listEnvironments(product)
  const { releases } = await app.api.listReleases(product)
  const { components } = await app.api.listComponents(product)
  const { branches } = await app.api.listBranches(product)
  const { requirements } = await app.api.listRequirements(product)
  const { tests } = await app.api.listTests(product)
  const { agent_configs: configs } = await app.api.listAgentConfigs(product)
  return { issues, environments, releases, components, branches, requirements, tests, configs }
}

async function readThings(id: string, issue: string): Promise<Known> {
  const { environments, releases, components, requirements, tests } = await readRows(id)
  return new Map([
    ['requirement', requirements[0]?.key ?? ''],
    ['test', tests[0]?.key ?? ''],
    ['issue', issue],
    ['event', '01a1fc5a-b9b0-7003-af30-feb823c92525'],
    ['environment', environments[0]?.id ?? ''],
    ['release', releases[0]?.id ?? ''],
    ['component', components[0]?.id ?? ''],
    ['blocker', 'failing_tests'],
    ['product', id],
    ['workspace', 'any'],
  ])
}

async function readEverything(id: string): Promise<Map<string, string[]>> {
  const { issues, environments, releases, components, branches, requirements, tests, configs } = await readRows(id)
  const [issue] = issues
  const { events } = await app.api.listIssueEvents({ id: issue?.id ?? '' })
  return new Map([
    ['product', [id, 'My product', 'APP', 'my-product']],
    ['issue', [issue?.id ?? '', issue?.short_id ?? '', (issue?.short_id ?? '').toLowerCase()]],
    ['event', [events[0]?.id ?? '']],
    ['environment', [environments[0]?.id ?? '', 'their-env']],
    ['release', [releases[0]?.id ?? '', 'theirs-2']],
    ['component', [components[0]?.id ?? '', 'Their part']],
    ['branch', branches.map(({ id: branch }) => branch)],
    ['config', configs.map(({ id: config }) => config)],
    ['requirement', requirements.map(({ id: requirement }) => requirement)],
    ['test', tests.map(({ id: test }) => test)],
    ['blocker', requirements.map(({ id: requirement }) => requirement)],
    // Nothing of theirs is a risk, and a risk is looked for in the verdict of the pinned product alone.
    ['risk', requirements.map(({ id: requirement }) => requirement)],
  ])
}

/** The id as someone would put it who wants to leave the pinned product. */
function disguises(id: string, thing: string): string[] {
  return [
    id,
    ` ${id}`,
    `https://tracegate.example/products/1/${thing}s/${id}`,
    `https://tracegate.example/${thing}s/${id}?product=1#x`,
    `tracegate://${thing}/${id}`,
    `../${id}`,
    `./${id}`,
    `${pinnedId}/../${id}`,
    `${pinnedId}/../1/issues/${id}`,
    `..%2f${id}`,
    `%2e%2e/${id}`,
    `%2e%2e%2f1%2fissues%2f${id}`,
    `%252e%252e%252f${id}`,
    `..\\${id}`,
    `${id}/..`,
    `${id}%00`,
    `${id}?product_id=1`,
    `${id}#`,
    `${id};product=1`,
  ]
}

const crude = [
  '..',
  '.',
  '%2e%2e',
  '.%2e',
  '2/../1',
  '../1',
  '../../v1/products/1',
  '/v1/products/1/issues',
  '1%2Fissues',
  '\u2025/1',
]

/** Whatever a request could name a product with, its path decoded as often as anyone might. */
function namesIn(url: string): string[] {
  const { pathname, searchParams } = new URL(url)
  let path = pathname
  for (let round = 0; round < 3 && /%[0-9a-f]{2}/i.test(path); round += 1) path = decodeURIComponent(path)
  return [
    ...[...path.matchAll(/\/products\/([^/?#]*)/g)].map(([, id = '']) => id),
    ...[...searchParams].flatMap(([name, id]) => (/product|project/.test(name) ? [id] : [])),
  ]
}

/**
 * A preview of the service, and the context that it gathers from files, write nothing; a check or a verdict notes its result
 * alone, and a distillation drafts on a quality branch.
 */
function writes({ method, url, body }: WireRequest): boolean {
  if (
    method === 'GET' ||
    /(?:\/test-generation-context:prepare|\/setup:verify|\/intent:distill|\/quality-gate:compute|\/auth\/onboarding)$/.test(
      url,
    )
  )
    return false
  return !(body instanceof Uint8Array && Buffer.from(body).includes('"validate_only":true'))
}

/** What a call did that a pinned server must not: where it sent something, what it showed, what it wrote. */
function findLeaks({ text, structured }: Called): string[] {
  const shown = (text + JSON.stringify(structured ?? {})).includes(MARK) ? ['shows the other product'] : []
  return [
    ...shown,
    ...sent.flatMap(({ method, url, writes: isWrite }) => {
      const path = new URL(url).pathname
      const segments = path.split('/').slice(1).map(decodeURIComponent)
      return [
        ...namesIn(url).flatMap((id) => (id === pinnedId ? [] : [`${url} names product ${id}`])),
        // fetch would resolve dot segments; a proxy might decode once more.
        ...(path === url.slice(origin.length).split('?')[0] ? [] : [`${url} changes on its way`]),
        ...segments.flatMap((segment) =>
          /^\.{0,2}$|[/\\]/.test(segment) ? [`${url} has the segment ${segment}`] : [],
        ),
        ...(isWrite ? [`${method} ${url}`] : []),
      ]
    }),
  ]
}

const idParameters = surface.tools.flatMap((tool) =>
  Object.keys(tool.input.shape).flatMap((name) => {
    const thing = words.get(name)?.thing
    return thing === undefined || examples.get(tool.name)?.newNames?.includes(name) === true
      ? []
      : [{ tool, name, thing }]
  }),
)

test('no tool has a product parameter', async () => {
  const listed = await agent.list()
  expect(listed).toHaveLength(surface.tools.length)
  expect(listed.filter(({ inputSchema: { properties = {} } }) => 'product' in properties)).toEqual([])
})

const refused = /unknown parameter product|not[_ ]found|\((?:invalid_argument|wrong_id_kind)\)/

describe.each(idParameters)('$tool.name with $name of another product', ({ tool, name, thing }) => {
  test('sends nothing elsewhere, shows nothing of it and writes nothing', async () => {
    const values = [...(theirs.get(thing) ?? []).flatMap((id) => disguises(id, thing)), ...crude]
    expect(values.length).toBeGreaterThan(crude.length)
    const { product: _, dry_run: __, ...least } = callVariants(tool, ours)[0] ?? {}
    // What the issue is not: a write would be sent.
    if ('status' in least && tool.effect !== 'read') least['status'] = 'ignored'
    for (const other of examples.get(tool.name)?.oneOf ?? []) if (other !== name) delete least[other]
    const list = tool.input.partial().safeParse({ [name]: ['x'] }).success
    for (const value of values) {
      sent.length = 0
      const called = await agent.call(tool.name, { ...least, [name]: list ? [value] : value })
      expect({ value, leaks: findLeaks(called) }).toEqual({ value, leaks: [] })
      expect(called.text).toMatch(refused)
    }
  })
})

test('the calls that the pinned product allows stay in it', async () => {
  for (const tool of surface.tools) {
    for (const variant of callVariants(tool, ours)) {
      sent.length = 0
      const { product: _, ...args } = variant
      const called = await agent.call(tool.name, args)
      expect({ args, leaks: findLeaks(called) }).toEqual({ args, leaks: [] })
    }
  }
})

test('nothing of the other product was changed', async () => {
  const { issues } = await app.api.listIssues({ product_id: app.productId })
  expect(issues.map(({ status }) => status)).toEqual(['unresolved'])
  const { requirements } = await app.api.listRequirements({ product_id: app.productId })
  expect(requirements.map(({ version, coverage }) => [version, coverage?.linked_test_count])).toEqual([[1, 1]])
})
