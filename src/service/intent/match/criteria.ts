import { criterionInWords } from '../../quality/requirements/content.ts'
import { compareStatements } from '../../quality/requirements/similarity/index.ts'
import type { Candidate, DraftCriterion } from '../types.ts'
import type { Known } from './decision.ts'

/** The criteria of a candidate that the requirement does not have yet. */
export function missingCriteria({ criteria }: Pick<Candidate, 'criteria'>, known: Known): DraftCriterion[] {
  return criteria.filter((one) => !known.criteria.some((other) => isSameCriterion(one, other)))
}

/** Whether a criterion of the requirement says what the statement says. */
export function hasCriterion(known: Known, statement: string): boolean {
  return known.criteria.some((one) => saysSame(criterionInWords(one), statement))
}

function isSameCriterion(one: DraftCriterion, other: DraftCriterion): boolean {
  const steps = ['text', 'given', 'when', 'then'] as const
  if (steps.every((step) => one[step].trim() === other[step].trim())) return true
  return one.kind === 'CRITERION_KIND_RULE' && saysSame(criterionInWords(one), criterionInWords(other))
}

function saysSame(one: string, other: string): boolean {
  const said = (statement: string) => ({ title: '', statement })
  return compareStatements(said(one), said(other)).verdict === 'duplicate'
}
