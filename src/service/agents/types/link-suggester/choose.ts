import { byConfidence, type Candidate } from './compare.ts'
import type { RequirementFacts } from './facts.ts'
import type { Settled, Settlement } from './settled.ts'

/** The least confidence of a link that exists, when another requirement competes for its test. */
const LINKED = 0.7

/** The best candidate of a requirement that has no proposal. */
export interface Shortfall {
  candidate: Candidate
  /** The requirement that the test fits best; undefined when that is this one, with too low a confidence. */
  better: RequirementFacts | undefined
}

export interface Choice {
  /** The most confident first. */
  proposals: Candidate[]
  /** By the id of the requirement. */
  shortfalls: ReadonlyMap<string, Shortfall>
  /** How many pairs are not proposed only because of what was decided about them. */
  leftOut: Record<Exclude<Settlement, 'linked'>, number>
}

interface ChoosingOptions {
  settled: Settled
  /** The ids of the requirements that tests are looked for. */
  targets: ReadonlySet<string>
  minConfidence: number
}

/**
 * Returns a chooser, which is given the candidates of each test. A test is proposed for the requirement that it fits best, and
 * for those that it names: requirements that have a test, or that no test is looked for, compete for it too.
 */
export function createChooser({ settled, targets, minConfidence }: ChoosingOptions) {
  const proposals: Candidate[] = []
  const shortfalls = new Map<string, Shortfall>()
  const leftOut = { rejected: 0, removed: 0, proposed: 0 }
  const fallShort = (candidate: Candidate, better: RequirementFacts | undefined) => {
    const { id } = candidate.requirement
    const known = shortfalls.get(id)
    if (known === undefined || byConfidence(candidate, known.candidate) < 0) shortfalls.set(id, { candidate, better })
  }
  return {
    /** `candidates` of one test, the most confident first. */
    add: (candidates: readonly Candidate[]): void => {
      const rivals = candidates.flatMap((candidate) => rivalry(candidate, settled))
      for (const candidate of candidates.filter(({ requirement }) => targets.has(requirement.id))) {
        const settlement = settled.find(candidate.test, candidate.requirement)
        if (settlement === 'linked') continue
        const better = findBetter(candidate, rivals)
        const isWorthy = candidate.confidence >= minConfidence && better === undefined
        if (isWorthy && settlement !== undefined) leftOut[settlement] += 1
        else if (isWorthy) proposals.push(candidate)
        else if (settlement === undefined) fallShort(candidate, better)
      }
    },
    end(): Choice {
      for (const { requirement } of proposals) shortfalls.delete(requirement.id)
      return { proposals: proposals.sort(byConfidence), shortfalls, leftOut }
    },
  }
}

interface Rival {
  requirement: RequirementFacts
  strength: number
}

/** How a requirement competes for the test; a link that was rejected or removed does not. */
function rivalry({ test, requirement, confidence }: Candidate, settled: Settled): Rival[] {
  const settlement = settled.find(test, requirement)
  if (settlement === 'rejected' || settlement === 'removed') return []
  return [{ requirement, strength: settlement === 'linked' ? Math.max(confidence, LINKED) : confidence }]
}

function findBetter({ requirement, confidence, signals }: Candidate, rivals: readonly Rival[]) {
  if (signals.annotation > 0) return undefined
  const better = rivals.filter((rival) => rival.requirement !== requirement && rival.strength > confidence)
  return better.toSorted((one, other) => other.strength - one.strength)[0]?.requirement
}

/**
 * At most `limit` proposals. Of each requirement the best comes before the second of any other, so that a requirement with
 * many tests does not take the place of others.
 */
export function cutFairly(proposals: readonly Candidate[], limit: number): Candidate[] {
  const ranks = new Map<string, number>()
  const ranked = proposals.map((candidate) => {
    const rank = ranks.get(candidate.requirement.id) ?? 0
    ranks.set(candidate.requirement.id, rank + 1)
    return { candidate, rank }
  })
  // The sort is stable, so equal ranks stay in the order of confidence.
  const first = ranked.toSorted((one, other) => one.rank - other.rank).slice(0, limit)
  return first.map(({ candidate }) => candidate).sort(byConfidence)
}
