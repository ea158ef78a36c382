import type { Candidate, DraftCriterion } from '../../types.ts'
import { MOST_CRITERIA } from './limits.ts'

/** Lines from the first to the last, counted from 1. */
export interface Lines {
  start: number
  end: number
}

/** A requirement while it is read: criteria may still follow. */
export interface Draft extends Pick<
  Candidate,
  'statement' | 'pattern' | 'modality' | 'confidence' | 'retires' | 'headings'
> {
  title: string
  quote: string
  lines: Lines
  tags: readonly string[]
  /** Text that names keys of requirements: the statement, its section, its criteria. */
  keyText: string
  criteria: DraftCriterion[]
  criterionLines: Lines[]
}

/** The words of a requirement, with what has the same value for most. */
export function newDraft(
  required: Pick<Draft, 'statement' | 'title' | 'pattern' | 'modality' | 'confidence' | 'headings' | 'quote' | 'lines'>,
  more: Partial<Draft> = {},
): Draft {
  return {
    retires: false,
    tags: [],
    keyText: required.statement,
    criteria: [],
    criterionLines: [],
    ...required,
    ...more,
  }
}

/** Adds a criterion; false if the draft has as many as the contract allows. */
export function addCriterion(draft: Draft, criterion: DraftCriterion, lines: readonly Lines[]): boolean {
  if (draft.criteria.length >= MOST_CRITERIA) return false
  draft.criteria.push(criterion)
  draft.criterionLines.push(...lines)
  return true
}
