import { readStatement, wordShare } from '../../quality/requirements/similarity/index.ts'
import type { Decision } from './decision.ts'

/** The least share of the next sentence's words in a retired requirement that it replaces. */
const SAME_SUBJECT = 0.5
const marker = /\b(?:instead|in its place|in their place|replaced by|replaces|from now on)\b/iu

/** The decisions, with the replacement of each retired requirement that the next sentence creates. */
export function linkReplacements(decisions: readonly Decision[]): Decision[] {
  return decisions.map((decision, index) => {
    const next = decisions[index + 1]
    if (decision.action !== 'RETIRE' || decision.replacement !== undefined || next?.action !== 'CREATE') return decision
    return isReplacement(decision, next) ? { ...decision, replacement: { ordinal: next.candidate.ordinal } } : decision
  })
}

function isReplacement({ candidate, matched }: Decision, { candidate: next }: Decision): boolean {
  const isNext =
    next.source.document === candidate.source.document && next.source.lineStart <= candidate.source.lineEnd + 1
  if (!isNext || matched === undefined) return false
  if (marker.test(next.statement) || marker.test(next.source.quote)) return true
  return wordShare(readStatement(next), readStatement(matched.known)) >= SAME_SUBJECT
}
