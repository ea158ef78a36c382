import type { Candidate, DraftCriterion } from '../types.ts'

/** A requirement of the main tree or the branch, or an earlier candidate of the same text. */
export interface Known {
  /** Empty for an earlier candidate. */
  id: string
  key: string
  /** Of an earlier candidate; else 0. */
  ordinal: number
  title: string
  statement: string
  criteria: readonly DraftCriterion[]
  isDeprecated: boolean
  /** Whether it is a group, which is found only by its key. */
  isGroup: boolean
}

/** What becomes of a candidate. */
export interface Decision {
  candidate: Candidate
  action: 'CREATE' | 'UPDATE' | 'DUPLICATE' | 'CONFLICT' | 'RETIRE' | 'ERROR'
  /** The requirement that it is about; for a new one, the closest one. */
  matched: { known: Known; similarity: number } | undefined
  /** How it differs from the matched requirement, in words. */
  differences: readonly string[]
  /** New texts of the matched or the new requirement; those that are absent do not change. */
  texts: { title?: string; statement?: string }
  /** Criteria to add to the matched requirement. */
  criteria: readonly DraftCriterion[]
  /** Of a retired requirement: the candidate or the key of the requirement that replaces it. */
  replacement: { ordinal: number } | { known: Known } | undefined
  /** Why nothing is drafted for it; empty unless the action is ERROR. */
  error: string
}

/** A decision without the members that do not apply. */
export function decided(
  candidate: Candidate,
  action: Decision['action'],
  more: Partial<Omit<Decision, 'candidate' | 'action'>> = {},
): Decision {
  return {
    candidate,
    action,
    matched: undefined,
    differences: [],
    texts: {},
    criteria: [],
    replacement: undefined,
    error: '',
    ...more,
  }
}

/** A proposal that cannot be placed; `error` says why and what to write instead. */
export function refused(candidate: Candidate, error: string): Decision {
  return decided(candidate, 'ERROR', { error })
}

/** A requirement is meant rather than another one when it ranks higher by this much. */
const CLEARLY = 0.1
const MOST_NAMED = 5
const byNumber = new Intl.Collator('en', { numeric: true })

/** What ranks first, and all that ranks about as high. */
export function firstAndRivals<T extends { rank: number }>(found: readonly T[]): T[] {
  const ranked = found.toSorted((one, other) => other.rank - one.rank)
  return ranked.filter(({ rank }) => ranked[0]!.rank - rank < CLEARLY)
}

/** A proposal that fits several requirements; `which` names the one to choose: "the one to change". */
export function ambiguous(candidate: Candidate, found: readonly { known: Known }[], which: string): Decision {
  const keys = found.slice(0, MOST_NAMED).map(({ known }) => known.key)
  const listed = keys.toSorted(byNumber.compare).join(', ')
  const more = found.length > keys.length ? ` and ${String(found.length - keys.length)} more` : ''
  return refused(candidate, `Several requirements could be meant: ${listed}${more}. Name the key of ${which}.`)
}

/** What a candidate says: an item may have only a title. */
export function saidBy({ title, statement }: Pick<Candidate, 'title' | 'statement'>): string {
  return statement === '' ? title : statement
}
