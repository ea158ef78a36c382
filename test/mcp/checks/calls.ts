import * as z from 'zod'
import type { Tool } from '../../../src/mcp/define/define.ts'
import { words } from '../../../src/mcp/define/parameters.ts'
import type { App } from '../../app.ts'
import { finishedRun } from '../../tools/agent-runs.ts'
import { examples } from '../../tools/examples.ts'
import { isOptional } from '../arbitrary-arguments.ts'

export type Arguments = Record<string, unknown>
/** Of each thing (`issue`, `release`) the id, key or name of one that is there. */
export type Known = ReadonlyMap<string, string>

/** Things of the sample shop, by names where there are names; a requirement and its failed test are made beside them. */
export async function sampleThings(app: App): Promise<Known> {
  const { api, productId } = app
  const tested = await recordFailure(app, productId)
  const { workspaces } = await api.listWorkspaces({})
  const { issues } = await api.listIssues({ product_id: productId, status: 'unresolved' })
  const [newest] = issues
  const drafted = await draftBranch(app, productId)
  const { events } = await api.listIssueEvents({ id: newest?.id ?? '' })
  return new Map([
    ['product', 'Tracegate Sample Shop'],
    ['workspace', workspaces[0]?.id ?? ''],
    ['issue', newest?.short_id ?? ''],
    ['event', events.at(-1)?.id ?? ''],
    ['environment', 'production'],
    ['release', 'shop@1.4.0'],
    ['component', 'Cart and pricing'],
    ...drafted,
    ...tested,
    ...(await scanOnce(app, productId)),
  ])
}

/** An agent config `scan` and its run, which has succeeded, by their name and id. */
export async function scanOnce({ api }: Pick<App, 'api'>, productId: string) {
  const request = { product_id: productId, agent_type_id: 'coverage_gap_scan', name: 'scan', input: { min_score: 0 } }
  const { agent_config: config } = await api.createAgentConfig(request)
  const run = await finishedRun(api, config.id)
  return [
    ['agent_type', 'coverage_gap_scan'],
    ['config', 'scan'],
    ['run', run.id],
  ] as const
}

/** A requirement and the test that proves it, which failed last, by their keys, and the blocker of the gate that it is. */
export async function recordFailure({ api }: Pick<App, 'api'>, productId: string, mark = '') {
  const { requirement } = await api.createRequirement({
    product_id: productId,
    title: `${mark} The sign-up form refuses an address without an at sign`,
    statement: `${mark} When the address has no at sign, the form shall show an error beside the field.`,
    acceptance_criteria: [{ text: `${mark} "ada" is refused.` }, { text: `${mark} "ada@example.org" is taken.` }],
    // Beside its own file it claims everything that crashes.
    code_refs: [{ path: `src/account/${mark}form.ts` }, { path: 'src/**' }],
  })
  const key = requirement.key ?? ''
  const { ingest } = await api.ingestTests({
    product_id: productId,
    draft: {
      cases: [
        {
          file_path: `test/account/${mark}form.test.ts`,
          suite_path: ['form'],
          name: `${mark} refuses ada [${key}]`,
          status: 'RESULT_STATUS_FAILED',
          message: `${mark} expected no error`,
          trace: `at ${mark} form.test.ts:7`,
        },
      ],
    },
    run: { environment: `${mark}ci`, release: `${mark}1.0.0` },
  })
  await api.computeGate({ product_id: productId })
  return [
    ['requirement', key],
    ['test', ingest.cases?.[0]?.key ?? ''],
    ['blocker', 'failing_tests'],
  ] as const
}

/**
 * An open quality branch `pricing` with a new requirement, which says `mark`, and the proposal that the newest test proves
 * another requirement, by their names and ids.
 */
export async function draftBranch({ api }: Pick<App, 'api'>, productId: string, mark = '') {
  const { branch } = await api.createBranch({ product_id: productId, name: 'pricing', description: mark })
  const on = { product_id: productId, branch_id: branch.id }
  const { requirement } = await api.createRequirement({ ...on, title: `${mark} Prices are shown with tax` })
  const { tests } = await api.listTests({ product_id: productId, kind: 'TEST_KIND_CASE' })
  const link = { test_id: tests[0]?.id ?? '', requirement_id: requirement.id, branch_id: branch.id }
  const { proposal } = await api.linkTest(link)
  return [
    ['branch', 'pricing'],
    ['proposal', proposal?.id ?? ''],
  ] as const
}

/** Groups of parameters where exactly one is required: the one that the checks pass, and the others. */
const alternatives = (tool: Tool) => examples.get(tool.name)?.oneOf ?? []

/**
 * Calls of a tool that between them use every parameter and every choice: the narrowest call, each optional parameter
 * added to it, and all at once. A write is only previewed where it can be.
 */
export function callVariants(tool: Tool, known: Known): Arguments[] {
  const [usual, ...others] = alternatives(tool)
  const least = narrowestCall(tool, known)
  const alone = parameters(tool, known).flatMap(({ name, values }) =>
    values.map((value) => ({
      ...examples.get(tool.name)?.needs?.[name],
      [name]: value,
      ...(others.includes(name) && { [usual ?? name]: undefined }),
    })),
  )
  return [least, ...alone.map((one) => ({ ...least, ...one })), callWith(tool, known, () => true)]
}

/** The call of a tool with only the arguments it requires, as a preview where it has one. */
export function narrowestCall(tool: Tool, known: Known): Arguments {
  const [usual] = alternatives(tool)
  const required = parameters(tool, known).filter(({ name, optional }) => !optional || name === usual)
  return { ...Object.fromEntries(required.map(({ name, values }) => [name, values[0]])), ...preview(tool) }
}

/** The call of a tool that gets the largest result: a write with everything it can say, a read without filters. */
export function widestCall(tool: Tool, known: Known): Arguments {
  const widens = (name: string) => tool.effect !== 'read' || /^(?:include|detail|limit|max_|view|wait)/.test(name)
  return { ...narrowestCall(tool, known), ...callWith(tool, known, widens) }
}

/** The last value, which asks for the most, of each parameter that is wanted. */
function callWith(tool: Tool, known: Known, wanted: (parameter: string) => boolean): Arguments {
  const others = [...alternatives(tool).slice(1), ...(examples.get(tool.name)?.alone ?? [])]
  const used = parameters(tool, known).filter(({ name }) => wanted(name) && !others.includes(name))
  return { ...Object.fromEntries(used.map(({ name, values }) => [name, values.at(-1)])), ...preview(tool) }
}

/** The parameters of a tool with the values that the checks give each. */
function parameters(tool: Tool, known: Known) {
  const values = { known, texts: examples.get(tool.name)?.texts ?? {} }
  return Object.entries(tool.input.shape)
    .filter(([name]) => !['cursor', 'dry_run', 'confirmation'].includes(name))
    .map(([name, schema]) => ({ name, optional: isOptional(schema), values: possibleValues(name, schema, values) }))
}

function preview(tool: Tool): Arguments {
  return 'dry_run' in tool.input.shape ? { dry_run: true } : {}
}

interface Values {
  known: Known
  texts: Readonly<Record<string, string>>
}

function possibleValues(name: string, schema: z.core.$ZodType, values: Values): unknown[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return possibleValues(name, schema.unwrap(), values)
  const thing = words.get(name)?.thing
  if (schema instanceof z.ZodArray) {
    const items = possibleValues(name, schema.element, values)
    return items.length > 1 ? [[items[0]], items] : [items]
  }
  if (schema instanceof z.ZodEnum) return [...schema.options]
  if (schema instanceof z.ZodBoolean) return [true, false]
  if (schema instanceof z.ZodNumber) return [schema.minValue, schema.maxValue]
  if (schema instanceof z.ZodObject) return [objectValue(schema, values)]
  const text = values.texts[name]
  if (thing === undefined || text !== undefined) return [text ?? 'checkout']
  const one = values.known.get(thing)
  if (one === undefined) throw new Error(`the checks know no ${thing}: give them one in test/mcp/checks/calls.ts`)
  return [one]
}

function objectValue(schema: z.ZodObject, values: Values): Arguments {
  return Object.fromEntries(
    Object.entries(schema.shape).map(([name, member]) => [name, possibleValues(name, member, values)[0]]),
  )
}
