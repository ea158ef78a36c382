import * as z from 'zod'
import { isObject } from '../../../../lib/objects.ts'
import { plainText } from '../model/text.ts'

/** What reporters let a test say about itself beside its name. */
export interface Meta {
  labels: Record<string, string>
  references: string[]
}

/** Enough for any test; what a report repeats beyond it is left out. */
const MOST_ENTRIES = 100
const LONGEST_VALUE = 1000

const Annotation = z.object({ type: z.string(), description: z.string().min(1) })

/** Annotations by which Playwright itself says why a test is not run as usual: prose, which names no requirement. */
const MODIFIERS = new Set(['skip', 'fixme', 'fail', 'slow'])

/** Free members of a test (Vitest `meta`, CTRF `labels` and `extra`): single values are labels, texts in lists are references. */
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

/** Descriptions of Playwright's annotations that may name requirements, issues and the like. */
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
