import type * as z from 'zod'
import { enumPrefix } from '../../../src/contract/base/common.ts'
import { rebuild, type Rules } from '../rebuild.ts'
import type { Reshaping, Reshapings } from '../reshaping.ts'

/** A reshaping of the values of an answer along the contract's schema. */
export function byRules(sentence: string, rules: Rules): Reshaping {
  return { sentence, answer: (answer, { endpoint }) => rebuild(endpoint.returns, answer, rules) }
}

/** Values in other spellings, nothing lost. These come first: they need the members of the contract. */
export const values: Reshapings = {
  nanoseconds: byRules('times have nine decimals', { leaf: times((time) => time.replace('Z', '456789Z')) }),
  offsetTimes: byRules('times are local, with their offset', { leaf: times(withOffset) }),
  epochSeconds: byRules('times are epoch seconds', { leaf: times((time) => Date.parse(time) / 1000) }),
  epochMilliseconds: byRules('times are epoch milliseconds', { leaf: times((time) => Date.parse(time)) }),
  enumsWithoutPrefix: byRules('enum values have no prefix', {
    leaf: enums((value, prefix) => value.slice(prefix.length)),
  }),
  enumsInLowerCase: byRules('enum values are in lower case', { leaf: enums((value) => value.toLowerCase()) }),
  enumsInUpperCase: byRules('enum values are in upper case', { leaf: enums((value) => value.toUpperCase()) }),
  enumsWithForeignPrefix: byRules('enum values are prefixed with the name of the member', {
    leaf: enums((value, prefix, name) => `${name}_${value.slice(prefix.length)}`.toUpperCase()),
  }),
  signalObjects: byRules('truncation signals are objects', {
    items: (items, name) => (name === 'truncation_signals' ? items.map(signalObject) : items),
  }),
  int64: byRules('integers are strings, as protojson prints int64', {
    leaf: (value, schema) => (schema._zod.def.type === 'number' && Number.isInteger(value) ? String(value) : value),
  }),
  nullRows: byRules('lists of objects have null rows', {
    items: (items) => (items.some((item) => typeof item === 'object') ? [null, ...items, null] : items),
  }),
}

function times(spell: (time: string) => unknown): NonNullable<Rules['leaf']> {
  return (value, schema) => (typeof value === 'string' && isTime(schema) ? spell(value) : value)
}

function isTime(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'string' && 'format' in def && def.format === 'datetime'
}

function withOffset(time: string): string {
  return new Date(Date.parse(time) + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
}

/** Rule for the values of enums, but for the empty one, which says that there is none; `spell` gets the contract's prefix and the member's name. */
export function enums(
  spell: (value: string, prefix: string, name: string, schema: z.core.$ZodEnum) => unknown,
): NonNullable<Rules['leaf']> {
  return (value, schema, name) =>
    typeof value === 'string' && value !== '' && isEnum(schema) ? spell(value, enumPrefix(schema), name, schema) : value
}

function isEnum(schema: z.core.$ZodType): schema is z.core.$ZodEnum {
  return schema._zod.def.type === 'enum'
}

function signalObject(signal: unknown): unknown {
  const [, member, reason, kept, total] = /^([^:]*):(.*):(\d+)\/(\d+)$/.exec(String(signal)) ?? []
  return member === undefined ? signal : { member, reason, kept: Number(kept), total: Number(total) }
}
