import type { Candidate } from '../types.ts'
import { decide } from './decide.ts'
import { decided, refused, type Decision, type Known } from './decision.ts'
import { createPool } from './pool.ts'
import { linkReplacements } from './replacement.ts'
import {
  compareStatements,
  defaultThresholds,
  type Statement,
  type Thresholds,
} from '../../quality/requirements/similarity/index.ts'

export { compareStatements, type Statement }
export { missingCriteria } from './criteria.ts'
export type { Decision, Known } from './decision.ts'

/**
 * Decides for each candidate, in their order, whether it is new, exists already, adds to what exists, contradicts it,
 * retires it, or cannot be placed (contract §9.4). Earlier candidates count as existing for later ones. Deterministic;
 * `pause` is called often.
 */
export async function matchCandidates(
  candidates: readonly Candidate[],
  known: readonly Known[],
  pause: () => Promise<void>,
  thresholds: Thresholds = defaultThresholds,
): Promise<Decision[]> {
  const pool = createPool()
  for (const one of known) {
    pool.add(one)
    await pause()
  }
  const decisions: Decision[] = []
  for (const candidate of candidates) {
    const decision = decide(candidate, pool, thresholds)
    decisions.push(decision)
    if (decision.action === 'CREATE') pool.add(asKnown(candidate))
    await pause()
  }
  return linkReplacements(oneChangeEach(decisions))
}

function asKnown({ ordinal, title, statement, criteria }: Candidate): Known {
  return { id: '', key: '', ordinal, title, statement, criteria, isDeprecated: false, isGroup: false }
}

/** A requirement gets one new statement: a second equal one is a duplicate, and another one contradicts the text itself. */
function oneChangeEach(decisions: readonly Decision[]): Decision[] {
  const changed = new Map<string, Decision>()
  return decisions.map((decision) => {
    const { candidate, action, matched, texts } = decision
    if (action !== 'CONFLICT' || matched === undefined) return decision
    const earlier = changed.get(matched.known.id)
    if (earlier === undefined) {
      changed.set(matched.known.id, decision)
      return decision
    }
    const isSame = compareStatements(asStatement(earlier.texts), asStatement(texts)).verdict === 'duplicate'
    const other = `proposal ${String(earlier.candidate.ordinal)}`
    if (isSame) return decided(candidate, 'DUPLICATE', { matched, differences: [`${other} changes it so already`] })
    return {
      ...refused(candidate, `P${other.slice(1)} changes ${matched.known.key} otherwise; leave one of the two.`),
      matched,
    }
  })
}

function asStatement({ title = '', statement = '' }: Decision['texts']): Statement {
  return { title, statement }
}
