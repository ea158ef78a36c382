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

/** A criterion that is a sentence. */
export function ruleCriterion(text: string): DraftCriterion {
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  return { kind: 'CRITERION_KIND_RULE', text, given: '', when: '', then: '' }
}

/** A criterion of Given, When and Then. `text` says more, such as a name or rows of examples. */
export function scenarioCriterion(steps: { given: string; when: string; then: string }, text = ''): DraftCriterion {
  return { kind: 'CRITERION_KIND_GIVEN_WHEN_THEN', text, ...steps }
}
