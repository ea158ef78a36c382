import * as z from 'zod'
import { callText, type NextAction } from './next-action.ts'
import { USUAL_ROWS } from './page.ts'

type Arguments = NextAction['args']

/** Short plain words and cursors: what may be repeated outside the untrusted block. */
const PLAIN = /^(?:[\w.:@/+=-]{0,400}|[\w .:@/+-]{0,60})$/

/** Did the caller ask for more than the default: full detail, or more rows or frames? */
export function asksForMore(input: z.ZodObject, args: Arguments): boolean {
  return Object.entries(args).some(([name, value]) => {
    if (name === 'detail') return value === 'full'
    if (typeof value !== 'number' || !/^(?:limit|max_)/.test(name)) return false
    return value > Number(defaultValue(input.shape[name]) ?? USUAL_ROWS)
  })
}

/**
 * The call that shows what was cut from the result of this one: the same with fewer rows, so that a cursor leads on, with
 * full detail, or with one of the extra lists alone; undefined when there is none. `cuts` has what is left, by name, and
 * `rows` what is left of a page.
 */
export function moreCall(
  { name, input }: { name: string; input: z.ZodObject },
  args: Arguments,
  cuts: ReadonlyMap<string, number>,
  rows?: number,
): string | undefined {
  const change = changeFor(input, args, { cuts, rows })
  if (change === undefined) return undefined
  const asked = Object.entries({ ...args, ...change }).filter(
    ([key, value]) => value !== undefined && value !== defaultValue(input.shape[key]),
  )
  // The caller's words may be an outsider's, copied: only plain ones are repeated.
  return asked.every(([, value]) => isPlain(value))
    ? callText({ tool: name, args: Object.fromEntries(asked) })
    : `the same call with ${JSON.stringify(change)}`
}

function changeFor(
  input: z.ZodObject,
  args: Arguments,
  { cuts, rows }: { cuts: ReadonlyMap<string, number>; rows: number | undefined },
): Arguments | undefined {
  if (rows !== undefined && 'limit' in input.shape) return { limit: Math.max(1, rows) }
  if (defaultValue(input.shape['detail']) === 'concise' && args['detail'] !== 'full') return { detail: 'full' }
  const include = args['include']
  if (!Array.isArray(include) || include.length < 2) return undefined
  const cut = include.find((list) => cuts.has(String(list))) as unknown
  return cut === undefined ? undefined : { include: [cut] }
}

function defaultValue(schema: unknown): unknown {
  return schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= 20 && value.every(isPlain)
  return typeof value === 'string' ? PLAIN.test(value) : typeof value !== 'object'
}
