import * as z from 'zod'
import { isObject } from '../../../../lib/objects.ts'
import { plainText } from '../model/text.ts'

/** The metadata that a test can attach to itself, in addition to its name. */
export interface Meta {
  labels: Record<string, string>
  references: string[]
}

/** More than any test needs; further entries are dropped. */
const MOST_ENTRIES = 100
const LONGEST_VALUE = 1000

const Annotation = z.object({ type: z.string(), description: z.string().min(1) })

/** Annotations that Playwright itself adds to say why a test does not run as usual: prose that names no requirement. */
const MODIFIERS = new Set(['skip', 'fixme', 'fail', 'slow'])

/**
 * Reads free-form members of a test (Vitest `meta`, CTRF `labels` and `extra`): scalars are labels, listed texts
 * references.
 */
export function readMeta(members: unknown): Meta {
  if (!isObject(members)) return { labels: {}, references: [] }
  const labels: [string, string][] = []
  const references: string[] = []
  for (const [name, value] of Object.entries(members).slice(0, MOST_ENTRIES)) {
    const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    if (isScalar && value !== '') labels.push([name, text(String(value))])
    if (Array.isArray(value)) references.push(...plainStrings(value))
  }
  return { labels: Object.fromEntries(labels), references: references.slice(0, MOST_ENTRIES) }
}

/** Descriptions of Playwright annotations, which may name requirements or issues. */
export function annotated(annotations: unknown): string[] {
  if (!Array.isArray(annotations)) return []
  const read = annotations.slice(0, MOST_ENTRIES).map((annotation) => Annotation.safeParse(annotation))
  return read.flatMap(({ data }) => (data === undefined || MODIFIERS.has(data.type) ? [] : [text(data.description)]))
}

function plainStrings(list: readonly unknown[]): string[] {
  const strings = list.slice(0, MOST_ENTRIES).filter((value) => typeof value === 'string')
  return strings.map(text).filter((value) => value !== '')
}

function text(value: string): string {
  return plainText(value, LONGEST_VALUE).trim()
}
