import type { Candidate } from '../types.ts'
import { decide } from './decide.ts'
import type { Decision, Known } from './decision.ts'
import { createPool } from './pool.ts'
import { linkReplacements } from './replacement.ts'
import { defaultThresholds, type Thresholds } from '../../quality/requirements/similarity/index.ts'

export { compareStatements, type Statement } from '../../quality/requirements/similarity/index.ts'
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
  return linkReplacements(decisions)
}

function asKnown({ ordinal, title, statement, criteria }: Candidate): Known {
  return { id: '', key: '', ordinal, title, statement, criteria, isDeprecated: false }
}
