import type * as z from 'zod'
import { isObject } from '../../src/lib/objects.ts'

export interface Member {
  name: string
  value: unknown
}

/** What becomes of the parts of an answer; a part without a rule stays as it is. */
export interface Rules {
  /** A value that is neither object nor list; `name` is the member that it is, or is in the list of. */
  leaf?(this: void, value: unknown, schema: z.core.$ZodType, name: string): unknown
  /** The members of an object that the contract names, their values rebuilt; maps and free JSON are not among these. */
  members?(this: void, members: Member[]): Member[]
  /** The items of a list, rebuilt. */
  items?(this: void, items: unknown[], name: string): unknown[]
}

/** The value rebuilt by the rules along the schema that the contract gives it. */
export function rebuild(schema: z.core.$ZodType, value: unknown, rules: Rules, name = ''): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod
  // oxlint-disable-next-line switch-exhaustiveness-check -- all other kinds are leaves
  switch (def.type) {
    case 'nullable':
    case 'optional':
    case 'default':
      return value === null ? null : rebuild(def.innerType, value, rules, name)
    case 'pipe':
      return rebuild(def.in, value, rules, name)
    case 'array': {
      if (!Array.isArray(value)) return value
      const items = value.map((item: unknown) => rebuild(def.element, item, rules, name))
      return rules.items?.(items, name) ?? items
    }
    case 'object':
      return isObject(value) ? rebuildObject(def.shape, value, rules) : value
    case 'record':
      if (!isObject(value)) return value
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, rebuild(def.valueType, item, rules, key)]),
      )
    default:
      return isObject(value) || Array.isArray(value) ? value : (rules.leaf?.(value, schema, name) ?? value)
  }
}

function rebuildObject(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  value: Readonly<Record<string, unknown>>,
  rules: Rules,
): Record<string, unknown> {
  const members = Object.entries(value).map(([name, member]) => {
    const schema = shape[name]
    return { name, value: schema === undefined ? member : rebuild(schema, member, rules, name) }
  })
  return Object.fromEntries((rules.members?.(members) ?? members).map((member) => [member.name, member.value]))
}
