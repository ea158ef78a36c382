import type * as z from 'zod'
import { contract } from '../../src/contract/index.ts'
import { isTrusted, textMark } from '../../src/contract/base/text.ts'

/** The table with its names, as a list. */
export const endpoints = Object.entries(contract)

/** A schema's definition; every schema that zod creates is a member of its own union. */
export function definition(schema: z.core.$ZodType) {
  return (schema as z.core.$ZodTypes)._zod.def
}

/** The schemas directly inside, each with the name it has there. */
function inside(schema: z.core.$ZodType): readonly (readonly [string, z.core.$ZodType])[] {
  const def = definition(schema)
  // oxlint-disable-next-line switch-exhaustiveness-check -- the contract is JSON: other kinds end in the error
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape)
    case 'array':
      return [['[]', def.element]]
    case 'record':
      return [
        ['{key}', def.keyType],
        ['{}', def.valueType],
      ]
    case 'tuple':
      return def.items.map((item, index) => [`[${index}]`, item] as const)
    case 'union':
      return def.options.map((option, index) => [`|${index}`, option] as const)
    case 'pipe':
      return [
        ['', def.in],
        ['', def.out],
      ]
    case 'nullable':
    case 'optional':
    case 'default':
      return [['', def.innerType]]
    case 'string':
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
    case 'unknown':
    case 'transform':
      return []
    default:
      throw new Error(`the walk does not know ${def.type}`)
  }
}

/** Where a schema lets free text through without saying whose text it is. */
export function unmarked(schema: z.core.$ZodType, at = ''): string[] {
  if (textMark(schema) !== undefined || isTrusted(schema)) return []
  const def = definition(schema)
  if (def.type === 'unknown') return [at]
  // A format such as date-time leaves no room for words.
  if (def.type === 'string') return 'format' in def && def.format !== undefined ? [] : [at]
  return inside(schema).flatMap(([name, inner]) => unmarked(inner, name === '' ? at : `${at}.${name}`))
}

/** Every enum that requests or results of the table have somewhere, each once. */
export function enumsOfTheTable(): z.ZodEnum[] {
  const all = schemasIn(endpoints.flatMap(([, { input, returns }]) => [input, returns]))
  return all.filter((schema) => definition(schema).type === 'enum') as z.ZodEnum[]
}

/** The schemas of all times in a request. */
export function timesIn(input: z.core.$ZodType): z.ZodString[] {
  const isTime = (schema: z.core.$ZodType) => {
    const def = definition(schema)
    return def.type === 'string' && 'format' in def && def.format === 'datetime'
  }
  return schemasIn([input]).filter(isTime) as z.ZodString[]
}

/** These schemas and all inside them, each once. */
function schemasIn(schemas: readonly z.core.$ZodType[]): z.core.$ZodType[] {
  const seen = new Set<z.core.$ZodType>()
  const collect = (schema: z.core.$ZodType) => {
    if (seen.has(schema)) return
    seen.add(schema)
    for (const [, inner] of inside(schema)) collect(inner)
  }
  schemas.forEach(collect)
  return [...seen]
}
