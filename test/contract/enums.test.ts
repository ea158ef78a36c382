import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { accept, prefixed, enumPrefix } from '../../src/contract/base/common.ts'
import { enumsOfTheTable } from './walk.ts'

const enums = enumsOfTheTable()
const named = enums.map((schema) => [schema.options.map(String).join(' | '), schema] as const)

test('the table contains the enums of every noun', () => {
  expect(enums.length).toBeGreaterThan(50)
})

test.each(named)('%s: every value is returned as it was sent, in results and requests', (_, schema) => {
  for (const value of schema.options) {
    expect(schema.parse(value)).toBe(value)
    expect(accept(schema).parse(JSON.parse(JSON.stringify(value)))).toBe(value)
  }
})

test('requests may write any enum in any case, with or without its prefix', () => {
  const spelling = fc
    .constantFrom(...enums)
    .chain((schema) => fc.tuple(fc.constant(schema), fc.constantFrom(...schema.options.map(String)), fc.boolean()))
    .chain(([schema, value, short]) =>
      fc.tuple(
        fc.constant(schema),
        fc.constant(value),
        anyCase(short ? value.slice(enumPrefix(schema).length) : value),
      ),
    )
  fc.assert(
    fc.property(spelling, ([schema, value, written]) => {
      expect(accept(schema).parse(written)).toBe(value)
    }),
    { numRuns: 2000 },
  )
})

test('an unknown word is refused, and so is the zero value of the gateway', () => {
  fc.assert(
    fc.property(fc.constantFrom(...enums), fc.string(), (schema, written) => {
      const known = schema.options.map(String).flatMap((value) => [value, value.slice(enumPrefix(schema).length)])
      fc.pre(!known.some((value) => value.toLowerCase() === written.toLowerCase()))
      expect(accept(schema).safeParse(written).success).toBe(false)
    }),
  )
  expect(accept(prefixed('PRIORITY', ['HIGH'])).safeParse('PRIORITY_UNSPECIFIED').success).toBe(false)
})

test('no short form is itself a value', () => {
  for (const [name, schema] of named) {
    const prefix = enumPrefix(schema)
    const spellings = schema.options.flatMap((value) => [
      ...new Set([String(value), String(value).slice(prefix.length)]),
    ])
    expect([name, new Set(spellings.map((word) => word.toLowerCase())).size]).toEqual([name, spellings.length])
  }
})

/** The word with each letter in upper or lower case. */
function anyCase(word: string): fc.Arbitrary<string> {
  return fc
    .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
    .map((upper) =>
      word.replace(/./g, (letter, at: number) => (upper[at] ? letter.toUpperCase() : letter.toLowerCase())),
    )
}
