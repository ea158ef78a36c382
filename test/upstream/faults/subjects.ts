import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { EndpointName } from '../../../src/contract/index.ts'
import type { Tool } from '../../../src/mcp/define/define.ts'
import { defineAgent } from '../../../src/service/agents/define.ts'
import { surface } from '../../../src/surface.ts'
import type { Called, Connected } from '../../mcp/clients.ts'
import { narrowestCall, type Arguments } from '../../mcp/checks/calls.ts'
import { finishedRun } from '../../tools/agent-runs.ts'
import { checkoutCrash } from '../../tools/shop.ts'
import { openQualityShop, type QualityShop } from '../../tools/quality-shop.ts'
import type { Logged } from './upstream.ts'

/** What a call of one worker may change; no other worker changes it. */
export interface Things {
  issue: string
  test: string
  requirement: string
  environment: string
  branch: string
  proposal: string
  /** An agent config, by its name. */
  config: string
  run: string
  /** A folder for files; undefined where a test may not read any. */
  root: string
  /** Different in every call. */
  mark: string
}

/** One change by the endpoints that make it: any of them. */
export type Change = readonly EndpointName[]

/** One thing that an agent can ask for, as the matrix tries it. */
export interface Subject {
  name: string
  kind: 'read' | 'write' | 'preview' | 'template' | 'completion'
  /** Makes what the call deletes. */
  prepare?(shop: QualityShop, things: Things): Promise<Partial<Things>>
  call(agent: Connected, things: Things): Promise<Called>
  /** What the call is to change, without preparations such as the creation of an upload. */
  changes: readonly Change[]
  /** What a result says was done, and what was not. */
  says(result: Called): { done: readonly Change[]; notDone: readonly Change[] }
  /** Puts back what the call has changed. */
  undo(shop: QualityShop, things: Things, log: readonly Logged[]): Promise<unknown>
}

/** A small deployment: four requirements, four tests, an issue, and things for each worker to change. */
export async function openFaultShop(
  workers: number,
  dataDir: string,
): Promise<{ shop: QualityShop; things: Things[] }> {
  const shop = await openQualityShop({ dataDir, agentTypes: [scan] })
  const { api, productId: product_id } = shop
  for (let minutes = 2; minutes > 0; minutes -= 1) await shop.crash(minutes, checkoutCrash('ada'))
  const numbers = Array.from({ length: workers }, (_, index) => String(index))
  await shop.ingest(
    ...numbers.map((number) => ({
      fingerprint: [number],
      exception: { values: [{ type: `Error${number}`, value: `worker ${number}` }] },
    })),
  )
  const { issues } = await api.listIssues({ product_id, page_size: 200, sort: 'first_seen' })
  const requirements = []
  for (const number of numbers) {
    requirements.push(
      (await api.createRequirement({ product_id, title: `The shop greets worker ${number}` })).requirement,
    )
  }
  const cases = requirements.map(({ key = '' }, index) => ({
    file_path: `test/worker${numbers[index] ?? ''}.test.ts`,
    suite_path: [],
    name: `greets [${key}]`,
    status: 'RESULT_STATUS_PASSED' as const,
  }))
  const { ingest } = await api.ingestTests({ product_id, draft: { cases }, run: { environment: 'ci' } })
  await api.computeGate({ product_id })
  const proposals: string[] = []
  for (const number of numbers) {
    const { branch } = await api.createBranch({ product_id, name: `kept-${number}` })
    const link = { test_id: shop.ids['TC-2'] ?? '', requirement_id: shop.ids['REQ-3'] ?? '', branch_id: branch.id }
    proposals.push((await api.linkTest(link)).proposal?.id ?? '')
  }
  const { agent_config: config } = await api.createAgentConfig({ product_id, agent_type_id: scan.id, name: 'scan' })
  const run = await finishedRun(api, config.id)
  const things = requirements.map(({ key = '' }, index) => ({
    issue: issues[index]?.id ?? '',
    test: ingest.cases?.[index]?.key ?? '',
    requirement: key,
    environment: 'ci',
    branch: `kept-${String(index)}`,
    proposal: proposals[index] ?? '',
    config: 'scan',
    run: run.id,
    root: '',
    mark: '',
  }))
  return { shop, things }
}

/** An agent type whose runs find nothing, or do not end by themselves. */
const scan = defineAgent({
  id: 'coverage_gap_scan',
  title: 'Scan',
  description: 'Finds nothing.',
  version: '1.0.0',
  reads: [],
  writes: [],
  input: z.strictObject({ hold: z.boolean().default(false) }),
  output: z.object({ found: z.int() }),
  run: (_, { hold }) =>
    hold ? new Promise(() => {}) : Promise.resolve({ summary: 'Found none.', output: { found: 0 } }),
})

/** The address of a known thing: `…://error-issue/{id}` of an issue. */
function addressed(uriTemplate: string, known: ReadonlyMap<string, string>): string {
  return uriTemplate.replace(/(\w+)\/\{\w+\}/, (_, thing: string) => `${thing}/${known.get(thing) ?? ''}`)
}

const nothing = { changes: [], says: () => ({ done: [], notDone: [] }), undo: () => Promise.resolve() }

/** Every tool, previews of those that have one, each resource template, and the suggestions for a prompt. */
export function subjects(shop: QualityShop, { config, run }: Pick<Things, 'config' | 'run'>): Subject[] {
  const known = new Map([
    ['product', shop.productId],
    ['issue', 'APP-1'],
    ['requirement', 'REQ-2'],
    ['test', 'TC-2'],
    ['release', 'shop@1.4.0'],
    ['environment', 'production'],
    ['branch', 'kept-0'],
    ['config', config],
    ['run', run],
    ['agent_type', scan.id],
    // The narrowest calls name none of these.
    ...['event', 'component', 'proposal'].map((thing) => [thing, ''] as const),
  ])
  return [
    // Decisions need a person; a merge is of what was previewed, which every other write changes.
    ...surface.tools
      .filter(({ name, effect }) => effect !== 'decide' && name !== MERGE)
      .map((tool) => {
        if (tool.effect === 'read') return reader(tool, narrowestCall(tool, known))
        if (tool.name === 'send_test_event') return reader(tool, { message: 'hello' })
        return tool.name === 'create_product' ? reader(tool, existingProduct) : writer(tool)
      }),
    ...surface.tools.filter(({ name, input }) => name !== MERGE && 'dry_run' in input.shape).map(previewer),
    ...surface.templates.map(({ name, uriTemplate }) => template(name, addressed(uriTemplate, known))),
    completion(),
  ]
}

const MERGE = 'merge_quality_branch'

/** A second product would make every other call name one: this one is there, so that nothing is created. */
const existingProduct = { name: 'My product' }

function reader({ name }: Tool, args: Arguments): Subject {
  return { name, kind: 'read', call: (agent) => agent.call(name, args), ...nothing }
}

/** A call that changes something, and what its result says of it. */
interface Writing {
  args(this: void, things: Things): Arguments
  changes: readonly Change[]
  /** The whole result says that it was done. */
  done: RegExp
  prepare?: NonNullable<Subject['prepare']>
  undo?: Subject['undo']
  /** Removes what was prepared, if the call has not. */
  discard?: (shop: QualityShop, things: Things) => Promise<unknown>
}

const report = (mark: string) =>
  `<testsuites><testsuite name="cart"><testcase classname="cart" name="adds up ${mark} [REQ-2]"/></testsuite></testsuites>`

const newTest: Change = ['createTest']
const newLink: Change = ['linkTest']

const writings: Readonly<Record<string, Writing>> = {
  set_error_issue_status: {
    args: ({ issue }) => ({ issues: [issue], status: 'resolved', reason: 'fixed' }),
    changes: [['setIssueStatus', 'bulkSetIssueStatus']],
    done: /^1 changed to resolved/,
    undo: ({ api }, { issue }) => api.setIssueStatus({ id: issue, status: 'unresolved' }),
  },
  record_tests: {
    args: ({ mark }) => ({
      tests: [{ title: `greets ${mark}`, file: `test/${mark}.test.ts`, requirement_ids: ['REQ-2'] }],
    }),
    changes: [newTest, newLink],
    done: /^1 test created, 1 link made/,
  },
  ingest_test_report: {
    args: ({ mark }) => ({ report: report(mark), environment: 'ci' }),
    changes: [['ingestTests']],
    done: /^(?!Preview)/,
  },
  save_requirement: {
    args: ({ mark }) => ({ title: `The shop greets ${mark}` }),
    changes: [['createRequirement']],
    done: /^Created/,
  },
  unlink_test: {
    args: ({ test, requirement }) => ({ test, requirement }),
    changes: [['unlinkTest']],
    done: /^Unlinked/,
    undo: ({ api }, _, log) => {
      const path = log.find(({ endpoint }) => endpoint === 'unlinkTest')?.path ?? ''
      const [, test = '', requirement = ''] = /tests\/([^/]+)\/links\/([^/]+)$/.exec(path) ?? []
      return api.linkTest({ test_id: test, requirement_id: requirement })
    },
  },
  approve_requirements: {
    prepare: async ({ api, productId: product_id }, { mark }) => {
      const { requirement } = await api.createRequirement({ product_id, title: `The shop thanks ${mark}` })
      return { requirement: requirement.key ?? '' }
    },
    args: ({ requirement }) => ({ requirements: [requirement] }),
    changes: [['updateRequirement']],
    done: /^1 approved/,
    discard: async ({ api, productId: product_id }, { requirement: key }) => {
      const { requirements } = await api.listRequirements({ product_id, key: [key] })
      return Promise.all(requirements.map(({ id }) => api.deleteRequirement({ id })))
    },
  },
  delete_requirement: {
    prepare: async ({ api, productId: product_id }, { mark }) => {
      const { requirement } = await api.createRequirement({ product_id, title: `The shop forgets ${mark}` })
      return { requirement: requirement.key ?? '' }
    },
    args: ({ requirement }) => ({ requirement, reason: 'obsolete' }),
    changes: [['deleteRequirement']],
    done: /^Deleted/,
    discard: async ({ api, productId: product_id }, { requirement: key }) => {
      const { requirements } = await api.listRequirements({ product_id, key: [key] })
      return Promise.all(requirements.map(({ id }) => api.deleteRequirement({ id })))
    },
  },
  delete_test: {
    prepare: async ({ api, productId: product_id }, { mark }) => {
      const { test } = await api.createTest({ product_id, kind: 'TEST_KIND_CASE', title: `forgets ${mark}` })
      return { test: test.key ?? '' }
    },
    args: ({ test }) => ({ test, reason: 'obsolete' }),
    changes: [['deleteTest']],
    done: /^Deleted/,
    discard: async ({ api, productId: product_id }, { test: key }) => {
      const { tests } = await api.listTests({ product_id, key: [key] })
      return Promise.all(tests.map(({ id }) => api.deleteTest({ id })))
    },
  },
  delete_environment: {
    prepare: async ({ api, productId: product_id }, { mark }) => {
      await api.createEnvironment({ product_id, name: `gone-${mark}` })
      return { environment: `gone-${mark}` }
    },
    args: ({ environment }) => ({ environment }),
    changes: [['deleteEnvironment']],
    done: /^Deleted/,
    discard: async ({ api, productId: product_id }, { environment: name }) => {
      const { environments } = await api.listEnvironments({ product_id, name })
      return Promise.all(environments.map(({ id }) => api.deleteEnvironment({ id })))
    },
  },
  create_quality_branch: {
    args: ({ mark }) => ({ name: `branch ${mark}` }),
    changes: [['createBranch']],
    done: /^Created/,
  },
  decide_link_proposals: {
    prepare: async ({ api, productId: product_id, ids }, { mark }) => {
      const { branch } = await api.createBranch({ product_id, name: `links ${mark}` })
      const link = { test_id: ids['TC-2'] ?? '', requirement_id: ids['REQ-3'] ?? '', branch_id: branch.id }
      return { branch: `links ${mark}`, proposal: (await api.linkTest(link)).proposal?.id ?? '' }
    },
    args: ({ branch, proposal }) => ({ branch, accept: [proposal] }),
    changes: [['reviewLinkProposals']],
    done: /^1 proposal accepted/,
    discard: closeBranch,
  },
  delete_quality_branch: {
    prepare: async ({ api, productId: product_id }, { mark }) => {
      await api.createBranch({ product_id, name: `gone ${mark}` })
      return { branch: `gone ${mark}` }
    },
    args: ({ branch }) => ({ branch, reason: 'cancelled' }),
    changes: [['deleteBranch']],
    done: /^Deleted/,
    discard: closeBranch,
  },
  record_release: {
    args: ({ mark }) => ({ version: `shop@${mark}`, environment: 'production' }),
    changes: [['upsertRelease']],
    done: /^Recorded/,
  },
  create_component: {
    args: ({ mark }) => ({ name: `Part ${mark}`, globs: [`src/${mark}/**`] }),
    changes: [['createComponent']],
    done: /^Created/,
  },
  create_environment: {
    args: ({ mark }) => ({ name: `env-${mark}` }),
    changes: [['createEnvironment']],
    done: /^Created/,
  },
  compute_quality_gate: {
    args: () => ({}),
    changes: [['computeGate']],
    done: /^(?:PASS|FAIL|INCONCLUSIVE|WARN)/,
  },
  distill_intent: {
    args: ({ mark }) => ({ intent: `The shop must show ${mark}.`, branch: `plan ${mark}` }),
    changes: [['distillIntent']],
    done: /^Drafted/,
  },
  verify_setup: {
    args: () => ({}),
    changes: [['verifySetup']],
    done: /^The setup is/,
  },
  create_agent_config: {
    args: ({ mark }) => ({ type: scan.id, name: `scan ${mark}` }),
    changes: [['createAgentConfig']],
    done: /^Created/,
  },
  delete_agent_config: {
    prepare: configure,
    args: ({ config }) => ({ config, reason: 'unused' }),
    changes: [['deleteAgentConfig']],
    done: /^Deleted/,
    discard: deleteConfig,
  },
  start_agent_run: {
    prepare: configure,
    args: ({ config }) => ({ config }),
    changes: [['startAgentRun']],
    done: /^Started/,
    undo: deleteConfig,
    discard: deleteConfig,
  },
  cancel_agent_run: {
    prepare: async (shop, things) => {
      const { config } = await configure(shop, things)
      const { agent_run: run } = await shop.api.startAgentRun({ agent_config_id: await configId(shop, config) })
      return { config, run: run.id }
    },
    args: ({ run }) => ({ run }),
    changes: [['cancelAgentRun']],
    done: /cancelled/,
    undo: deleteConfig,
    discard: deleteConfig,
  },
  upload_source_map: {
    args: ({ root, mark }) => ({ release: 'shop@1.4.0', path: buildFile(root, mark) }),
    changes: [['confirmSourceMap']],
    done: /^Uploaded/,
  },
}

async function closeBranch({ api, productId: product_id }: QualityShop, { branch: name }: Things): Promise<void> {
  const { branches } = await api.listBranches({ product_id, name })
  await Promise.all(branches.map(({ id }) => api.deleteBranch({ id })))
}

/** A config whose runs do not end by themselves. */
async function configure({ api, productId: product_id }: QualityShop, { mark }: Things) {
  const request = { product_id, agent_type_id: scan.id, name: `held ${mark}`, input: { hold: true } }
  const { agent_config: config } = await api.createAgentConfig(request)
  return { config: config.name ?? '' }
}

async function configId({ api, productId: product_id }: QualityShop, named: string): Promise<string> {
  const { agent_configs: configs } = await api.listAgentConfigs({ product_id, page_size: 200 })
  return configs.find(({ name }) => name === named)?.id ?? ''
}

/** Cancels its runs too. */
async function deleteConfig(shop: QualityShop, { mark }: Things): Promise<void> {
  const id = await configId(shop, `held ${mark}`)
  if (id !== '') await shop.api.deleteAgentConfig({ id })
}

/** A map like no other, because bytes that the service has are not sent again. */
function buildFile(root: string, mark: string): string {
  const folder = join(root, mark)
  mkdirSync(folder)
  const map = { version: 3, file: 'app.js', sources: [`../src/${mark}.js`], names: [], mappings: 'AAAA' }
  writeFileSync(join(folder, 'app.js'), `t();//${mark}\n//# sourceMappingURL=app.js.map\n`)
  writeFileSync(join(folder, 'app.js.map'), JSON.stringify({ ...map, sourcesContent: [`t()//${mark}`] }))
  return mark
}

function writer({ name }: Tool): Subject {
  const writing = writings[name]
  if (writing === undefined)
    throw new Error(`the faults know no call of ${name}: give it one in ${import.meta.filename}`)
  const { args, changes, done, prepare, undo, discard } = writing
  return {
    name,
    kind: 'write',
    ...(prepare && { prepare }),
    call: (agent, things) => agent.call(name, args(things)),
    changes,
    says: ({ text, structured }) => (name === 'record_tests' ? rowsSay(structured) : saysAll(text, changes, done)),
    undo: async (shop, things, log) => {
      rmSync(join(things.root, things.mark), { recursive: true, force: true })
      if (changes.some((change) => isDone(change, log))) await undo?.(shop, things, log)
      else await discard?.(shop, things)
    },
  }
}

/** Whether the service behind the fault has made the change. */
export function isDone(change: Change, log: readonly Logged[]): boolean {
  return log.some(
    ({ endpoint, preview, status = 500 }) => !preview && status < 300 && change.includes(endpoint as EndpointName),
  )
}

function saysAll(text: string, changes: readonly Change[], done: RegExp): ReturnType<Subject['says']> {
  return done.test(text) ? { done: changes, notDone: [] } : { done: [], notDone: changes }
}

/** A row of record_tests tells of the test and of its links. */
function rowsSay(structured: unknown): ReturnType<Subject['says']> {
  const { data } = structured as { data: { rows: { outcome: string; links?: string; error?: string }[] } }
  const [row] = data.rows
  if (row === undefined) return { done: [], notDone: [newTest, newLink] }
  const { outcome, links = '', error = '' } = row
  const test = outcome === 'created' ? 'done' : outcome === 'failed' && !/outcome_unknown/.test(error) ? 'not' : ''
  const link = links.endsWith(' linked') ? 'done' : / failed/.test(links) && !/outcome_unknown/.test(links) ? 'not' : ''
  const which = (word: string) => [...(test === word ? [newTest] : []), ...(link === word ? [newLink] : [])]
  return { done: which('done'), notDone: which('not') }
}

function previewer({ name }: Tool): Subject {
  const args = writings[name]?.args ?? (() => existingProduct)
  return {
    ...nothing,
    name: `${name} (preview)`,
    kind: 'preview',
    call: (agent, things) => agent.call(name, { ...args(things), dry_run: true }),
  }
}

function template(name: string, uri: string): Subject {
  return {
    ...nothing,
    name: `resource ${name}`,
    kind: 'template',
    async call({ client }) {
      try {
        const { contents } = await client.readResource({ uri })
        const [first] = contents as { text?: string }[]
        return { text: first?.text ?? '', structured: undefined, isError: false, meta: {} }
      } catch (error) {
        const text = (error as Error).message.replace(/^MCP error -?\d+: /, '')
        return { text, structured: undefined, isError: true, meta: {} }
      }
    },
  }
}

/** Suggestions are a help while typing: what cannot be read gives none. */
function completion(): Subject {
  return {
    ...nothing,
    name: 'prompt fix_error_issue',
    kind: 'completion',
    async call({ client }) {
      const { completion: found } = await client.complete({
        ref: { type: 'ref/prompt', name: 'fix_error_issue' },
        argument: { name: 'issue', value: 'APP' },
      })
      return { text: found.values.join(' '), structured: undefined, isError: false, meta: {} }
    },
  }
}
