import type { RequirementFacts, TestFacts } from './facts.ts'

const KEY = /(?<![A-Za-z0-9])REQ[-_](\d{1,9})(?:\.(\d{1,3}))?(?![A-Za-z0-9])/giu
/** In the name of a file a key is often written without a separator. */
const KEY_IN_FILE = /(?<![A-Za-z0-9])REQ[-_]?(\d{1,9})(?![A-Za-z0-9])/giu
/** The value of a key in the name of a file, which applies to all tests of the file. */
const IN_FILE = 0.8

/** A requirement that a test names. */
export interface Annotation {
  /** From 0 to 1. */
  value: number
  /** The numbers of the criteria, from 1; none for the whole requirement. */
  criteria: number[]
}

/**
 * The requirements that a test names, by their number: in its title, suites, tags, labels or file, in any form. Report
 * ingest links only the marked forms (contract §4.2), and only requirements that exist by then.
 */
export function readAnnotations({ title, suites, marks, file }: TestFacts): Map<number, Annotation> {
  const found = new Map<number, Annotation>()
  for (const [, number] of file.matchAll(KEY_IN_FILE)) found.set(Number(number), { value: IN_FILE, criteria: [] })
  for (const text of [title, ...suites, ...marks]) {
    for (const [, number, criterion] of text.matchAll(KEY)) {
      const criteria = found.get(Number(number))?.criteria ?? []
      found.set(Number(number), {
        value: 1,
        criteria: criterion === undefined ? criteria : [...criteria, Number(criterion)],
      })
    }
  }
  return found
}

/** The ids of the criteria that an annotation names. */
export function annotatedCriteria({ criteria }: RequirementFacts, annotation: Annotation): string[] {
  return criteria.filter((_, index) => annotation.criteria.includes(index + 1)).map(({ id }) => id)
}
