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
  /** A group is found by its key only. */
  isGroup: boolean
}

/** What becomes of a candidate. */
export interface Decision {
  candidate: Candidate
  action: 'CREATE' | 'UPDATE' | 'DUPLICATE' | 'CONFLICT' | 'RETIRE' | 'ERROR'
  /** The requirement that it is about, or for a new one the closest. */
  matched: { known: Known; similarity: number } | undefined
  /** How it differs from the matched requirement, in words. */
  differences: readonly string[]
  /** New texts of the matched requirement, or of a new one; absent ones stay those that it has. */
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

/** What a candidate says: an item may have only a title. */
export function saidBy({ title, statement }: Pick<Candidate, 'title' | 'statement'>): string {
  return statement === '' ? title : statement
}
