import { lintWording } from '../quality/requirements/lint.ts'
import type { Candidate } from './types.ts'

/** Findings on the wording of a candidate, each with the words that it is about. */
export function findingsOn(title: string, statement: string, criteria: Candidate['criteria']): Candidate['lint'] {
  return lintWording(title, statement, criteria).map(({ code, message, span }) => {
    // The message quotes the words first.
    const start = message.indexOf('"') + 1
    return { code, term: message.slice(start, start + span.end - span.start), message }
  })
}
