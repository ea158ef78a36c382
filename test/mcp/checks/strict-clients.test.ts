import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { readArguments } from '../../../src/mcp/call/arguments.ts'
import { surface } from '../../../src/surface.ts'
import { arbitraryArguments } from '../arbitrary-arguments.ts'

/** What clients whose schemas make every member required send where they have nothing to say. */
const nothings = { null: () => null, empty: emptyValue }

function emptyValue(schema: z.core.$ZodType): unknown {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodString) return ''
  if (inner instanceof z.ZodArray) return []
  // A strict client sends a choice only from its values.
  return null
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap())
    : schema
}

/** The value with every member that it leaves out, at every depth. */
function filled(schema: z.core.$ZodType, value: unknown, nothing: (schema: z.core.$ZodType) => unknown): unknown {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => filled(inner.element, item, nothing))
  }
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value
  const given = value as Record<string, unknown>
  const members = Object.entries(inner.shape).map(([name, member]): [string, unknown] => {
    const isSaid = Object.hasOwn(given, name) && given[name] !== undefined
    // A preview is asked for by a word; nothing there would be a guess.
    if (!isSaid && name === 'dry_run') return [name, false]
    return [name, isSaid ? filled(member, given[name], nothing) : nothing(member)]
  })
  return Object.fromEntries(members)
}

test.each(
  surface.tools.flatMap((tool) => Object.entries(nothings).map(([kind, nothing]) => ({ tool, kind, nothing }))),
)('$tool.name means the same when members that say nothing are $kind', ({ tool, nothing }) => {
  const call = { input: tool.input, effect: tool.effect, pinned: false, offers: () => true }
  fc.assert(
    fc.property(arbitraryArguments(tool.input), (raw) => {
      fc.pre(tool.input.safeParse(raw).success && !/\[\]|""|null/.test(JSON.stringify(raw)))
      expect(readArguments(call, filled(tool.input, raw, nothing)).args).toEqual(readArguments(call, raw).args)
    }),
    { numRuns: 60 },
  )
})
