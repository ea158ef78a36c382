import { capitalised } from '../../../lib/counted.ts'
import { lintWording } from '../../quality/requirements/lint.ts'
import { findingsOn } from '../findings.ts'
import type { Candidate } from '../types.ts'
import type { Draft } from './parts/drafts.ts'
import { keysIn } from './facts/keys.ts'
import { kindFor } from './facts/kind.ts'
import { priorityFor } from './facts/priority.ts'

/** What each finding on the wording takes from the confidence (contract §9.4). */
const PER_FINDING = 0.1

/** The confidence in a draft: less for each kind of finding on the wording of its statement. */
export function confidenceIn(draft: Draft): number {
  const codes = new Set(lintWording('', draft.statement, []).map(({ code }) => code))
  return Math.max(0, Math.round((draft.confidence - PER_FINDING * codes.size) * 100) / 100)
}

/** The draft as a candidate. */
export function finish(
  draft: Draft,
  place: { ordinal: number; document: number; confidence: number },
  given: Candidate['priority'] | undefined,
): Candidate {
  const { title, criteria, pattern, modality, tags, retires, headings, quote, lines } = draft
  const statement = asSentence(draft.statement)
  const criteriaText = criteria.map((one) => `${one.text} ${one.given} ${one.when} ${one.then}`).join(' ')
  const text = `${statement} ${pattern === 'PATTERN_GHERKIN' ? criteriaText : ''}`
  return {
    ordinal: place.ordinal,
    title,
    statement,
    criteria,
    pattern,
    modality,
    kind: kindFor(pattern, text),
    priority: priorityFor(modality, `${draft.keyText} ${text}`, given),
    confidence: place.confidence,
    tags,
    keys: keysIn(`${draft.keyText} ${criteriaText}`),
    retires,
    headings,
    source: { document: place.document, lineStart: lines.start, lineEnd: lastLine(draft), quote },
    lint: findingsOn('', statement, criteria),
  }
}

/** The last line of the quote, which for a scenario holds its steps. */
function lastLine({ lines, quote }: Draft): number {
  return Math.max(lines.end, lines.start + quote.split('\n').length - 1)
}

/** Capitalises a sentence that followed a speaker or a label. */
function asSentence(text: string): string {
  return /^\p{Ll}+(?=[\s,])/u.test(text) ? capitalised(text) : text
}
