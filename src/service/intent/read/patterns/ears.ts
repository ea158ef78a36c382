import type { Candidate } from '../../types.ts'

/** Words that open a clause of EARS (Easy Approach to Requirements Syntax), with the pattern that each one makes. */
const CLAUSES: readonly (readonly [RegExp, Candidate['pattern']])[] = [
  [
    /^(?:when|whenever|upon|once|as soon as|every time|each time|immediately after|after|on receipt of)\b/i,
    'PATTERN_EARS_EVENT',
  ],
  [/^(?:while|whilst|during|as long as|for as long as)\b/i, 'PATTERN_EARS_STATE'],
  [/^(?:where)\b/i, 'PATTERN_EARS_OPTIONAL'],
  [/^(?:if|in case|in the event|unless)\b/i, 'PATTERN_EARS_UNWANTED'],
]

/** "While an index is OPTIONAL, readers SHOULD accept one": the clause grants something and names no state. */
const CONCESSION = /^whil(?:e|st)\b.*\b(?:optional|recommended|required)\b/i

export interface Clauses {
  pattern: Candidate['pattern'] | undefined
  /** Where the main clause starts. */
  main: number
}

/** The EARS clauses before the main clause, whose modal word starts at `modal`. Clauses of several kinds are complex. */
export function readClauses(masked: string, modal: number): Clauses {
  const found: Candidate['pattern'][] = []
  let main = 0
  for (const start of clauseStarts(masked.slice(0, modal))) {
    const text = masked.slice(start, modal).replace(/^(?:and|or|but|then)\s+/i, '')
    if (CONCESSION.test(text)) continue
    const pattern = CLAUSES.find(([opening]) => opening.test(text))?.[1]
    if (start === 0 && pattern === undefined) break
    if (pattern !== undefined) found.push(pattern)
    main = start
  }
  if (found.length === 0 || main === 0) return { pattern: undefined, main: 0 }
  return { pattern: new Set(found).size > 1 ? 'PATTERN_EARS_COMPLEX' : found[0], main }
}

/** The start of the text and of what follows each comma, or "then", in it. */
function clauseStarts(text: string): number[] {
  return [
    0,
    ...[...text.matchAll(/[,;]\s+(?:then\s+)?|\s+then\s+/gi)].map(({ index, 0: match }) => index + match.length),
  ]
}
