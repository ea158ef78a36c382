import fc from 'fast-check'
import type * as z from 'zod'
import { camelCase } from '../../src/client/reader/read-schema.ts'
import { Untrusted } from '../../src/contract/base/text.ts'

type Json = unknown

/** Values that the schema of a result allows, as a service that keeps to the contract sends them. */
export function arbitraryValue(schema: z.core.$ZodType): fc.Arbitrary<Json> {
  const { def } = (schema as z.core.$ZodTypes)._zod
  // oxlint-disable-next-line switch-exhaustiveness-check -- the kinds that results have
  switch (def.type) {
    case 'string':
      return 'format' in def && def.format === 'datetime'
        ? fc
            .date({ min: new Date('1974-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
            .map(toText)
        : fc.string({ minLength: 1, maxLength: 12 })
    case 'number':
      return fc.nat()
    case 'boolean':
      return fc.boolean()
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries))
    case 'literal':
      return fc.constantFrom(...def.values)
    case 'nullable':
      return fc.option(arbitraryValue(def.innerType), { nil: null })
    case 'optional':
    case 'default':
      return arbitraryValue(def.innerType)
    case 'array':
      return fc.array(arbitraryValue(def.element), { maxLength: 2 })
    case 'tuple':
      return fc.tuple(...def.items.map(arbitraryValue))
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(def.shape).map(([name, member]) => [name, arbitraryValue(member)])),
      )
    case 'record':
      return fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), arbitraryValue(def.valueType), { maxKeys: 2 })
    case 'union':
      return fc.oneof(...def.options.map(arbitraryValue))
    case 'pipe':
      return arbitraryValue(def.in)
    case 'lazy':
      return fc.constant(null)
    default:
      return fc.jsonValue({ maxDepth: 1 }).filter((value) => value !== null)
  }
}

function toText(time: Date): string {
  return time.toISOString()
}

export interface Habits {
  /** Members in lower camel case. */
  camel: boolean
  /** Integers as strings, as protojson prints int64. */
  quoted: boolean
  /** Members the contract does not have. */
  extra: boolean
}

/** The same value as a gateway with other habits sends it. */
export function rewritten(schema: z.core.$ZodType, value: Json, habits: Habits): Json {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (value === null || value === undefined) return value
  // oxlint-disable-next-line switch-exhaustiveness-check -- the kinds that results have
  switch (def.type) {
    case 'number':
      return habits.quoted ? JSON.stringify(value) : value
    case 'nullable':
    case 'optional':
      return rewritten(def.innerType, value, habits)
    case 'array':
      return (value as Json[]).map((item) => rewritten(def.element, item, habits))
    case 'tuple':
      return def.items.map((item, n) => rewritten(item, (value as Json[])[n], habits))
    case 'record':
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, rewritten(def.valueType, item, habits)]),
      )
    case 'pipe':
      return rewritten(def.in, value, habits)
    case 'object': {
      const members = Object.entries(def.shape).map(([name, member]) => [
        habits.camel ? camelCase(name) : name,
        rewritten(member, (value as Record<string, Json>)[name], habits),
      ])
      return { ...Object.fromEntries(members), ...(habits.extra ? { surprise: { id: 7 }, '@type': 'x' } : {}) }
    }
    default:
      return value
  }
}

/** What was read, with the text of outsiders opened: to compare with what was sent. */
export function opened(value: unknown): Json {
  if (value instanceof Untrusted) return opened(Untrusted.open(value))
  if (Array.isArray(value)) return value.map(opened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, opened(item)]))
}
