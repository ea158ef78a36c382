import * as z from 'zod'
import type { Tool } from '../../../src/mcp/define.ts'
import { words } from '../../../src/mcp/parameters.ts'
import type { App } from '../../app.ts'
import { isOptional } from '../arguments-of.ts'

export type Arguments = Record<string, unknown>
/** Of each thing (`issue`, `release`) the id, key or name of one that is there. */
export type Known = ReadonlyMap<string, string>

/** Things of the sample shop, by names where there are names. */
export async function sampleThings({ api, productId }: App): Promise<Known> {
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
  ])
}

/**
 * Argument sets of a tool that between them use every parameter and every choice: the least that is needed, each optional
 * parameter beside that, unless only some are asked for, and all at once. A write is only previewed where it can be.
 */
export function variantsOf(tool: Tool, known: Known, wanted: (parameter: string) => boolean = () => true): Arguments[] {
  const members = Object.entries(tool.input.shape).filter(([name]) => name !== 'cursor')
  const preview = 'dry_run' in tool.input.shape ? { dry_run: true } : {}
  const required = members.filter(([, schema]) => !isOptional(schema))
  const least = Object.fromEntries(required.map(([name, schema]) => [name, valuesOf(name, schema, known)[0]]))
  const alone = members
    .filter(([name]) => wanted(name))
    .flatMap(([name, schema]) => valuesOf(name, schema, known).map((value) => ({ [name]: value })))
  const all = Object.fromEntries(members.map(([name, schema]) => [name, valuesOf(name, schema, known).at(-1)]))
  return [least, ...alone.map((one) => ({ ...least, ...one })), all].map((args) => ({ ...args, ...preview }))
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
  if (thing === undefined) return [name === 'platforms' ? 'javascript' : 'checkout']
  const one = known.get(thing)
  if (one === undefined) throw new Error(`the checks know no ${thing}: give them one in test/mcp/checks/calls.ts`)
  return [one]
}

function objectOf(schema: z.ZodObject, known: Known): Arguments {
  return Object.fromEntries(
    Object.entries(schema.shape).map(([name, member]) => [name, valuesOf(name, member, known)[0]]),
  )
}
