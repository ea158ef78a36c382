import type { Requirement } from '../../../src/mcp/resolve/types.ts'
import { counted } from '../../../src/lib/counted.ts'

/** The parts of an acceptance criterion. */
export interface CriterionParts {
  text?: string | undefined
  given?: string | undefined
  when?: string | undefined
  then?: string | undefined
}

const STEPS = /^given (?<given>.+?), when (?<when>.+?), then (?<then>.+)$/is

/** A criterion as one text: its own, or `Given …, when …, then …` of its steps. */
export function criterionText({ text, given, when, then }: CriterionParts): string {
  const steps = [
    ['given', given],
    ['when', when],
    ['then', then],
  ] as const
  const written = steps
    .flatMap(([word, step]) => (step === undefined || step === '' ? [] : [`${word} ${step}`]))
    .join(', ')
  const whole = written.charAt(0).toUpperCase() + written.slice(1)
  return [text, whole].filter((part) => part !== undefined && part !== '').join(' ')
}

/** `REQ-12.2` is criterion 2 of REQ-12; the name without it, and its number. */
export function splitCriterion(given: string): { name: string; criterion: number | undefined } {
  const [, name = given, criterion] = /^\s*([a-z]{2,10}-\??\d{1,9})\.(\d{1,3})\s*$/i.exec(given) ?? []
  return { name, criterion: criterion === undefined ? undefined : Number(criterion) }
}

/** The parts of a text: its steps where it has all three, else the text as it is. */
export function parseCriterion(text: string): CriterionParts {
  const { given, when, then } = STEPS.exec(text.trim())?.groups ?? {}
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  return given === undefined ? { text: text.trim() } : { given, when, then }
}

/** Whether a criterion is covered: `unknown` where tests are linked to the requirement and no name says which criteria they prove. */
export type Covered = 'yes' | 'no' | 'unknown'

interface CriterionFacts {
  id: string | undefined
  coverage: Requirement['coverage']
  /** Whether a link that counts names it; undefined where the deployment does not say. */
  isNamed: boolean | undefined
  /** Whether any link counts; undefined where the deployment does not say. */
  isLinked: boolean | undefined
}

/** Whether the tests that name a criterion passed, by what the service says of the requirement. */
export function criterionCovered({ id = '', coverage, isNamed, isLinked }: CriterionFacts): Covered {
  const { covered_criterion_ids: proved, uncovered_criterion_ids: unlinked } = coverage ?? {}
  if (proved?.includes(id) === true) return 'yes'
  if (isLinked === false || unlinked?.includes(id) === true) return 'no'
  return isNamed === true && proved !== undefined ? 'no' : 'unknown'
}

/**
 * `1 of 3 acceptance criteria covered (1 not recorded)`; says so where no test names a criterion, and where the deployment
 * does not send criteria.
 */
export function criteriaWords(criteria: readonly Covered[] | undefined): string {
  if (criteria === undefined) return 'acceptance criteria not stated'
  const number = (wanted: Covered) => criteria.filter((one) => one === wanted).length
  const unknown = number('unknown')
  if (criteria.length === 0) return 'no acceptance criteria'
  const noun = counted(criteria.length, 'acceptance criterion', 'acceptance criteria')
  if (unknown === criteria.length) return `${noun} (which of them its tests cover is not recorded)`
  const rest = unknown === 0 ? '' : ` (of ${unknown} it is not recorded)`
  return `${number('yes')} of ${noun} covered${rest}`
}
