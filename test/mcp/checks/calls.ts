import * as z from 'zod'
import type { Tool } from '../../../src/mcp/define/define.ts'
import { words } from '../../../src/mcp/define/parameters.ts'
import type { App } from '../../app.ts'
import { isOptional } from '../arbitrary-arguments.ts'

export type Arguments = Record<string, unknown>
/** Of each thing (`issue`, `release`) the id, key or name of one that is there. */
export type Known = ReadonlyMap<string, string>

/** Things of the sample shop, by names where there are names; a requirement and its failed test are made beside them. */
export async function sampleThings(app: App): Promise<Known> {
  const { api, productId } = app
  const tested = await recordFailure(app, productId)
  const { issues } = await api.listIssues({ product_id: productId, status: 'unresolved' })
  const [newest] = issues
  const { events } = await api.listIssueEvents({ id: newest?.id ?? '' })
  return new Map([
    ['product', 'Tracegate Sample Shop'],
    ['issue', newest?.short_id ?? ''],
    ['event', events.at(-1)?.id ?? ''],
    ['environment', 'production'],
    ['release', 'shop@1.4.0'],
    ['component', 'Cart and pricing'],
    ['branch', 'main'],
    ...tested,
  ])
}

/** A requirement and the test that proves it, which failed last; by their keys. */
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
  return [
    ['requirement', key],
    ['test', ingest.cases?.[0]?.key ?? ''],
  ] as const
}

/** Parameters of which one is needed, though a schema cannot say so: the first, unless another is asked for. */
const ONE_OF: Readonly<Record<string, readonly string[]>> = { ingest_test_report: ['report', 'path'] }
export const junitReport =
  '<testsuites><testsuite name="cart"><testcase classname="cart" name="adds up"/></testsuite></testsuites>'
/** Texts that are more than words. */
const TEXTS: Readonly<Record<string, string>> = { platforms: 'javascript', report: junitReport }

/**
 * Argument sets of a tool that between them use every parameter and every choice: the narrowest call, each optional
 * parameter added to it, and all at once. A write is only previewed where it can be.
 */
export function variantsOf(tool: Tool, known: Known): Arguments[] {
  const [usual, ...others] = ONE_OF[tool.name] ?? []
  const least = narrowestCall(tool, known)
  const alone = parameters(tool).flatMap(([name, schema]) =>
    valuesOf(name, schema, known).map((value) => instead({ [name]: value }, usual, others)),
  )
  return [least, ...alone.map((one) => ({ ...least, ...one })), callWith(tool, known, () => true)]
}

/** The call of a tool with only the arguments it requires, as a preview where it has one. */
export function narrowestCall(tool: Tool, known: Known): Arguments {
  const [usual] = ONE_OF[tool.name] ?? []
  const required = parameters(tool).filter(([name, schema]) => !isOptional(schema) || name === usual)
  const args = Object.fromEntries(required.map(([name, schema]) => [name, valuesOf(name, schema, known)[0]]))
  return { ...args, ...preview(tool) }
}

/** The call of a tool that gets the largest result: a write with everything it can say, a read without filters. */
export function widestCall(tool: Tool, known: Known): Arguments {
  const widens = (name: string) => tool.effect !== 'read' || /^(?:include|detail|limit|max_|view|wait)/.test(name)
  return { ...narrowestCall(tool, known), ...callWith(tool, known, widens) }
}

/** The last value, which asks for the most, of each parameter that is wanted. */
function callWith(tool: Tool, known: Known, wanted: (parameter: string) => boolean): Arguments {
  const [, ...others] = ONE_OF[tool.name] ?? []
  const used = parameters(tool).filter(([name]) => wanted(name) && !others.includes(name))
  const args = Object.fromEntries(used.map(([name, schema]) => [name, valuesOf(name, schema, known).at(-1)]))
  return { ...args, ...preview(tool) }
}

function parameters(tool: Tool) {
  return Object.entries(tool.input.shape).filter(([name]) => name !== 'cursor')
}

function preview(tool: Tool): Arguments {
  return 'dry_run' in tool.input.shape ? { dry_run: true } : {}
}

/** One of the others stands in the place of the usual one. */
function instead(one: Arguments, usual: string | undefined, others: readonly string[]): Arguments {
  return usual !== undefined && others.some((other) => other in one) ? { ...one, [usual]: undefined } : one
}

function valuesOf(name: string, schema: z.core.$ZodType, known: Known): unknown[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return valuesOf(name, schema.unwrap(), known)
  const thing = words.get(name)?.thing
  if (schema instanceof z.ZodArray) {
    const items = valuesOf(name, schema.element, known)
    return items.length > 1 ? [[items[0]], items] : [items]
  }
  if (schema instanceof z.ZodEnum) return [...schema.options]
  if (schema instanceof z.ZodBoolean) return [true, false]
  if (schema instanceof z.ZodNumber) return [schema.minValue, schema.maxValue]
  if (schema instanceof z.ZodObject) return [objectOf(schema, known)]
  if (thing === undefined) return [TEXTS[name] ?? 'checkout']
  const one = known.get(thing)
  if (one === undefined) throw new Error(`the checks know no ${thing}: give them one in test/mcp/checks/calls.ts`)
  return [one]
}

function objectOf(schema: z.ZodObject, known: Known): Arguments {
  return Object.fromEntries(
    Object.entries(schema.shape).map(([name, member]) => [name, valuesOf(name, member, known)[0]]),
  )
}
