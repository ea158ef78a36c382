import type * as z from 'zod'
import { isObject } from '../../lib/objects.ts'
import { teamText } from '../text/team.ts'
import { readStyle, unwrap, type Style } from './output.ts'

/** Writes a value as its schema says. */
type Present = (value: unknown) => unknown

const presenters = new WeakMap<z.core.$ZodType, Present>()

/**
 * The data of an answer as its output schema says: only the members that the schema has, in its order, team text through
 * its policy, enum values without their prefix, times to the minute. A tool passes what the API returns.
 */
export function present(schema: z.ZodObject, data: object): object {
  return presenter(schema)(data) as object
}

/** Made once for each schema: results have many rows, and a schema's style takes several looks at it. */
function presenter(schema: z.core.$ZodType): Present {
  const known = presenters.get(schema)
  if (known !== undefined) return known
  const made = makePresenter(schema)
  const present: Present = (value) => (value === undefined || value === null ? undefined : made(value))
  presenters.set(schema, present)
  return present
}

function makePresenter(schema: z.core.$ZodType): Present {
  const { def } = (unwrap(schema) as z.core.$ZodTypes)._zod
  const other = presentText(readStyle(schema))
  if (def.type === 'array') {
    const item = presenter(def.element)
    return (value) => (Array.isArray(value) ? value.map(item) : other(value))
  }
  if (def.type !== 'object') return other
  const members = Object.entries(def.shape).map(([name, member]) => ({ name, write: presenter(member) }))
  const keepsOthers = def.catchall !== undefined
  return (value) => {
    if (!isObject(value)) return other(value)
    const written = members.map(({ name, write }) => [name, write(value[name])] as const)
    return { ...(keepsOthers && value), ...Object.fromEntries(written) }
  }
}

function presentText({ isTeam, isTime, isFlag, prefix, ...options }: Style): Present {
  if (isFlag === true) return (value) => (value === true ? true : undefined)
  if (isTeam === true) return ifText((text) => teamText(text, options))
  if (isTime === true) return ifText(toMinute)
  return prefix === undefined ? (value) => value : ifText((text) => withoutPrefix(text, prefix))
}

function ifText(write: (text: string) => unknown): Present {
  return (value) => (typeof value === 'string' ? write(value) : value)
}

/** A time to the minute, `2026-11-21T03:54Z`: enough for a list, and cheaper for an agent to read. */
export function toMinute(time: string | null | undefined): string | undefined {
  return time?.replace(/(T\d\d:\d\d):\d\d(?:\.\d+)?(?=Z|[+-])/, '$1')
}

/** `ISSUE_SUBSTATUS_REGRESSED` as `regressed`; an unknown value stays as it came. */
export function withoutPrefix(value: string | undefined, prefix: string): string | undefined {
  return value?.startsWith(prefix) === true ? value.slice(prefix.length).toLowerCase() : value
}
