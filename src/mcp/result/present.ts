import type * as z from 'zod'
import { isObject } from '../../lib/objects.ts'
import { teamText } from '../text/team.ts'
import { readStyle, unwrap } from './output.ts'

/**
 * The data of an answer as its output schema says: only the members that the schema has, in its order, team text through
 * its policy, enum values without their prefix, times to the minute. A tool passes what the API returns.
 */
export function present(schema: z.ZodObject, data: object): object {
  return presentValue(schema, data) as object
}

function presentValue(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === undefined || value === null) return undefined
  const { def } = (unwrap(schema) as z.core.$ZodTypes)._zod
  if (def.type === 'array' && Array.isArray(value)) return value.map((item) => presentValue(def.element, item))
  if (def.type === 'object' && isObject(value)) {
    const members = Object.entries(def.shape).map(([name, member]) => [name, presentValue(member, value[name])])
    return { ...(def.catchall !== undefined && value), ...Object.fromEntries(members) }
  }
  const { isTeam, isTime, isFlag, prefix, ...options } = readStyle(schema)
  if (isFlag === true) return value === true ? true : undefined
  if (typeof value !== 'string') return value
  if (isTeam === true) return teamText(value, options)
  if (isTime === true) return toMinute(value)
  return prefix === undefined ? value : withoutPrefix(value, prefix)
}

/** A time to the minute, `2026-11-21T03:54Z`: enough for a list, and cheaper for an agent to read. */
export function toMinute(time: string | null | undefined): string | undefined {
  return time?.replace(/(T\d\d:\d\d):\d\d(?:\.\d+)?(?=Z|[+-])/, '$1')
}

/** `ISSUE_SUBSTATUS_REGRESSED` as `regressed`; an unknown value stays as it came. */
export function withoutPrefix(value: string | undefined, prefix: string): string | undefined {
  return value?.startsWith(prefix) === true ? value.slice(prefix.length).toLowerCase() : value
}
