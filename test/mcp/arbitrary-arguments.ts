import fc from 'fast-check'
import * as z from 'zod'

/** Arguments that fit a tool's schema: every member by its kind, the optional ones present or not. */
export function arbitraryArguments(schema: z.ZodObject): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.entries(schema.shape)
  return fc.record(Object.fromEntries(members.map(([name, member]) => [name, argumentValues(member)])), {
    requiredKeys: members.filter(([, member]) => !isOptional(member)).map(([name]) => name),
  })
}

/** Values that fit a schema; texts are words, as ids and names are. */
export function argumentValues(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return argumentValues(schema.unwrap())
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options)
  if (schema instanceof z.ZodBoolean) return fc.boolean()
  if (schema instanceof z.ZodNumber) return fc.integer({ min: schema.minValue ?? 0, max: schema.maxValue ?? 1000 })
  if (schema instanceof z.ZodArray) {
    const { minItems = 0, maxItems = 4 } = z.toJSONSchema(schema)
    return fc.array(argumentValues(schema.element), {
      minLength: minItems,
      maxLength: Math.min(maxItems, minItems + 4),
    })
  }
  if (schema instanceof z.ZodObject) return arbitraryArguments(schema)
  const words = ['SHOP-31', '12', '0198f3b2-7c1a-7def-8123-456789abcdef', 'shop@1.4.0', 'production', 'Check out']
  const shortest = schema instanceof z.ZodString ? (schema.minLength ?? 0) : 0
  return fc.constantFrom(...words.map((word) => word.padEnd(shortest, ' and more')))
}

/** Can the member be left out? */
export function isOptional(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
}
