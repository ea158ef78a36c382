import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { DocumentMediaType, Modality, Pattern } from '../../../src/contract/distill.ts'

/** A label without the prefix of its enum, or several right ones; as the values of the contract. */
function answers<E extends z.ZodEnum>(schema: E, prefix: string) {
  return z
    .union([z.string(), z.array(z.string())])
    .default([])
    .transform((label) => [label].flat().map((value) => schema.parse(prefix + value)))
}

const HeldOut = z.boolean().default(false)

const Sentences = z.strictObject({
  sources: z.record(z.string(), z.strictObject({ title: z.string(), published: z.string(), licence: z.string() })),
  sentences: z.array(
    z.strictObject({
      text: z.string(),
      source: z.string(),
      label: z.strictObject({
        requirement: z.boolean(),
        pattern: answers(Pattern, 'PATTERN_'),
        modality: answers(Modality, 'MODALITY_'),
      }),
      heading: z.string().optional(),
      media_type: DocumentMediaType.optional(),
      note: z.string().optional(),
      held_out: HeldOut,
    }),
  ),
})

const pair = { a: z.string(), b: z.string(), held_out: HeldOut }

const Pairs = z.strictObject({
  same: z.array(z.strictObject({ ...pair, domain: z.string(), rewording: z.enum(['light', 'medium', 'heavy']) })),
  related: z.array(z.strictObject(pair)),
  differ: z.array(z.strictObject({ ...pair, differs_in: z.enum(['number', 'unit', 'negation', 'modality']) })),
})

export type LabelledSentence = z.output<typeof Sentences>['sentences'][number]

const read = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, 'data', name), 'utf8'))

export const { sources, sentences } = Sentences.parse(read('sentences.json'))
export const pairs = Pairs.parse(read('pairs.json'))

/** How many of the items are right, as text: all of them, then those that rules were not written against. */
export function figures<T extends { held_out: boolean }>(items: readonly T[], right: (item: T) => boolean): string {
  const share = (some: readonly T[]) => `${percentage(some, right).toFixed(1)} % of ${String(some.length)}`
  return `${share(items)} (held out: ${share(items.filter((item) => item.held_out))})`
}

/** The share of items that are right, in percent. */
export function percentage<T>(items: readonly T[], right: (item: T) => boolean): number {
  return (100 * items.filter((item) => right(item)).length) / items.length
}
