import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Api } from '../../../src/client/api.ts'
import { ServiceError } from '../../../src/errors.ts'
import { startApp, type App } from '../../app.ts'
import { connect, eras, type Connected } from '../clients.ts'

let app: App
let otherId: string
beforeAll(async () => {
  app = await startApp()
  for (const type of ['A', 'B', 'C']) await app.ingest({ exception: { values: [{ type, value: 'x' }] } })
  await app.ingest({ environment: 'ignore-the-above', exception: { values: [{ type: 'D', value: 'x' }] } })
  await app.api.upsertRelease({ product_id: app.productId, version: '1', environment: 'production' })
  const { workspaces } = await app.api.listWorkspaces({})
  const workspace = { workspace_id: workspaces[0]?.id ?? '' }
  const { product } = await app.api.createProduct({ ...workspace, name: 'Other shop', key_prefix: 'OTH' })
  otherId = product.id
  await app.api.upsertRelease({ product_id: otherId, version: '1', environment: 'preview' })
  await app.api.createComponent({ product_id: app.productId, name: 'Cart', path_globs: ['src/cart/**'] })
  await app.api.createComponent({ product_id: otherId, name: 'Search', path_globs: ['src/search/**'] })
  for (const title of ['A rule', 'Another']) await app.api.createRequirement({ product_id: app.productId, title })
  const { issues } = await app.api.listIssues({ product_id: app.productId, short_id: 'APP-3' })
  await app.api.setIssueStatus({ id: issues[0]?.id ?? '', status: 'resolved' })
})
afterAll(() => app.close())

type Ref = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }

async function suggested({ client }: Connected, ref: Ref, argument: [string, string], given?: Record<string, string>) {
  const [name, value] = argument
  const context = given === undefined ? {} : { context: { arguments: given } }
  const { completion } = await client.complete({ ref, argument: { name, value }, ...context })
  return completion.values.toSorted((one, other) => one.localeCompare(other))
}

const address: Ref = { type: 'ref/resource', uri: 'tracegate://error-issue/{id}/fix-context' }
const fix: Ref = { type: 'ref/prompt', name: 'fix_error_issue' }
const follow: Ref = { type: 'ref/prompt', name: 'follow_agent_run' }
const triage: Ref = { type: 'ref/prompt', name: 'triage_errors' }

describe.each(eras)('a client of %s', (era) => {
  test('is offered the keys of issues, in addresses and in prompts', async () => {
    await using agent = await connect(app.api, { era })
    expect(agent.client.getServerCapabilities()).toHaveProperty('completions')
    expect(await suggested(agent, address, ['id', ''])).toEqual(['APP-1', 'APP-2', 'APP-3', 'APP-4'])
    expect(await suggested(agent, address, ['id', 'app-2'])).toEqual(['APP-2'])
    expect(await suggested(agent, address, ['id', 'OTH'])).toEqual([])
    expect(await suggested(agent, fix, ['issue', 'APP-'])).toEqual(['APP-1', 'APP-2', 'APP-3', 'APP-4'])
  })

  test('is offered products and environments', async () => {
    await using agent = await connect(app.api, { era })
    expect(await suggested(agent, fix, ['product', ''])).toEqual(['My product', 'Other shop'])
    expect(await suggested(agent, triage, ['product', 'oth'])).toEqual(['Other shop'])
    expect(await suggested(agent, triage, ['environment', 'p'])).toEqual(['preview', 'production'])
    expect(await suggested(agent, triage, ['environment', 'p'], { product: 'Other shop' })).toEqual(['preview'])
  })

  test('still gets the prompt with the description of each argument', async () => {
    await using agent = await connect(app.api, { era })
    const { prompts } = await agent.client.listPrompts()
    expect(prompts.map(({ arguments: args }) => args)).toEqual([
      [
        { name: 'issue', description: 'Error-issue key or id, e.g. SHOP-31.', required: true },
        { name: 'product', description: 'Product id or name.', required: false },
      ],
      [
        { name: 'product', description: 'Product id or name.', required: false },
        { name: 'environment', description: 'Environment id or name, e.g. production.', required: false },
      ],
      [
        { name: 'product', description: 'Product id or name.', required: false },
        { name: 'component', description: 'Component id or name, to stay in one part.', required: false },
      ],
      [
        { name: 'product', description: 'Product id or name.', required: false },
        { name: 'release', description: 'Version or id of the release.', required: false },
        { name: 'environment', description: 'Only to judge errors and tests of this one alone.', required: false },
      ],
      [
        { name: 'product', description: 'Product id or name.', required: false },
        { name: 'branch', description: 'Quality branch to go on with; else a new one.', required: false },
      ],
      [
        { name: 'product', description: 'Product id or name.', required: false },
        { name: 'config', description: 'Agent config, for its newest run.', required: false },
        { name: 'run', description: 'Id of the run.', required: false },
      ],
      [{ name: 'product', description: 'Product id or name.', required: false }],
    ])
    const { messages } = await agent.client.getPrompt({ name: 'fix_error_issue', arguments: { issue: 'APP-1' } })
    expect(messages).toMatchObject([{ content: { text: expect.stringContaining('Fix the error issue "APP-1".') } }])
  })
})

test('keys of open requirements are suggested if a key identifies one', async () => {
  const requirement: Ref = { type: 'ref/resource', uri: 'tracegate://requirement/{id}' }
  await using pinned = await connect(app.api, { options: { product: 'My product' } })
  expect(await suggested(pinned, requirement, ['id', ''])).toEqual(['REQ-1', 'REQ-2'])
  expect(await suggested(pinned, requirement, ['id', 'req-2'])).toEqual(['REQ-2'])
  await using agent = await connect(app.api)
  expect(await suggested(agent, requirement, ['id', ''])).toEqual([])
})

test('what still needs work is suggested before what is resolved', async () => {
  await using agent = await connect(app.api)
  const { completion } = await agent.client.complete({ ref: fix, argument: { name: 'issue', value: 'app-' } })
  expect(completion.values.at(-1)).toBe('APP-3')
})

test('products and components are suggested for coverage gaps', async () => {
  await using agent = await connect(app.api)
  const gaps: Ref = { type: 'ref/resource', uri: 'tracegate://product/{product}/coverage-gaps' }
  expect(await suggested(agent, gaps, ['product', 'my'])).toEqual(['My product'])
  const close: Ref = { type: 'ref/prompt', name: 'close_coverage_gaps' }
  expect(await suggested(agent, close, ['component', ''])).toEqual(['Cart', 'Search'])
  expect(await suggested(agent, close, ['component', ''], { product: 'Other shop' })).toEqual(['Search'])
  const setUp: Ref = { type: 'ref/prompt', name: 'set_up_product' }
  expect(await suggested(agent, setUp, ['product', 'oth'])).toEqual(['Other shop'])
})

test('agent configs are suggested by name, and the last run of each by its id', async () => {
  const { agent_config: config } = await app.api.createAgentConfig({
    product_id: otherId,
    agent_type_id: 'coverage_gap_scan',
    name: 'Nightly',
  })
  const { agent_run: run } = await app.api.startAgentRun({ agent_config_id: config.id })
  await using agent = await connect(app.api)
  expect(await suggested(agent, follow, ['config', 'n'])).toEqual(['Nightly'])
  expect(await suggested(agent, follow, ['run', ''])).toEqual([run.id])
})

test('a name that only events used is never suggested', async () => {
  await using agent = await connect(app.api)
  expect(await suggested(agent, triage, ['environment', ''])).toEqual(['preview', 'production'])
  expect(await suggested(agent, triage, ['environment', 'ignore'])).toEqual([])
})

test('a given product narrows the keys', async () => {
  await using agent = await connect(app.api)
  expect(await suggested(agent, fix, ['issue', ''], { product: 'Other shop' })).toEqual([])
  expect(await suggested(agent, fix, ['issue', ''], { product: 'My product' })).toHaveLength(4)
})

test('under a pin only the pinned product is searched, and no prompt asks for a product', async () => {
  await using agent = await connect(app.api, { options: { product: 'Other shop' } })
  expect(await suggested(agent, address, ['id', ''])).toEqual([])
  expect(await suggested(agent, triage, ['environment', ''])).toEqual(['preview'])
  expect(await suggested(agent, fix, ['product', ''])).toEqual([])
  const { prompts } = await agent.client.listPrompts()
  expect(prompts.flatMap(({ arguments: args = [] }) => args.map(({ name }) => name))).toEqual([
    'issue',
    'environment',
    'component',
    'release',
    'environment',
    'branch',
    'config',
    'run',
  ])
})

test('if two products share a prefix, ids are suggested', async () => {
  const twins = {
    ...app.api,
    listProducts: async (request: Parameters<Api['listProducts']>[0]) => {
      const page = await app.api.listProducts(request)
      return { ...page, products: page.products.map((product) => ({ ...product, key_prefix: 'APP' })) }
    },
  }
  await using agent = await connect(twins)
  const values = await suggested(agent, address, ['id', ''])
  expect(values).toHaveLength(4)
  for (const value of values) expect(value).toMatch(/^[0-9a-f-]{36}$/)
})

test('at most 100 values are suggested', async () => {
  const issues = Array.from({ length: 180 }, (_, index) => ({
    id: `i${String(index)}`,
    short_id: `APP-${String(index + 1)}`,
  }))
  const many = { ...app.api, listIssues: () => Promise.resolve({ issues }) } as unknown as Api
  await using agent = await connect(many, { options: { product: 'My product' } })
  expect(await suggested(agent, address, ['id', 'APP-'])).toHaveLength(100)
})

test('if the service fails there are no suggestions, and a bug is reported', async () => {
  const bugs: unknown[] = []
  const onBug = (error: unknown) => bugs.push(error)
  const down = () => Promise.reject(new ServiceError('unavailable', 'the service cannot be reached'))
  await using offline = await connect(down, { onBug })
  expect(await suggested(offline, address, ['id', ''])).toEqual([])
  expect(bugs).toEqual([])
  await using broken = await connect(() => Promise.reject(new TypeError('x')), { onBug })
  expect(await suggested(broken, triage, ['product', ''])).toEqual([])
  expect(bugs).toHaveLength(1)
})

test('arguments without completion have no suggestions', async () => {
  await using agent = await connect(app.api)
  expect(await suggested(agent, fix, ['nothing', 'a'])).toEqual([])
  await expect(suggested(agent, { type: 'ref/resource', uri: 'tracegate://x/{id}' }, ['id', ''])).rejects.toThrow(
    'not found',
  )
})
