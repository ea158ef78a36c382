import type * as z from 'zod'
import type { Condition, GatePolicy } from '../../../contract/quality-gate/policy.ts'
import type { ConditionStatus, VerdictCondition } from '../../../contract/quality-gate/verdict.ts'
import { counted as many } from '../../../lib/counted.ts'
import { identity, type GateFacts, type RiskFact } from '../facts.ts'
import { actualValue, bound, holds, toPass } from './bounds.ts'
import { compareText, listEvidence, type EarlierItems, type EvidenceBody } from './evidence.ts'
import type { CostedItem } from './items.ts'
import { metrics, type Measure } from './metrics.ts'

export type ConditionBody = z.input<typeof VerdictCondition>
type Rule = z.output<typeof Condition>
type Policy = z.output<typeof GatePolicy>
type Status = z.output<typeof ConditionStatus>

const mostListed = 20

/** One condition against the facts, and all items that it lists. */
export function judgeCondition(
  rule: Rule,
  facts: GateFacts,
  { policy, risks, earlier }: { policy: Policy; risks: readonly RiskFact[]; earlier: EarlierItems },
): { condition: ConditionBody; evidence: EvidenceBody[] } {
  const measure = metrics[rule.metric].measure(facts)
  const covered = measure.items.filter(({ item }) => risks.some((risk) => covers(risk, item, rule.id)))
  const status = decide(rule, measure, covered.length)
  const evidence = listEvidence(measure.items, earlier)
  return {
    evidence,
    condition: {
      id: rule.id,
      metric: rule.metric,
      title: metrics[rule.metric].title,
      comparator: rule.comparator,
      threshold: rule.threshold,
      actual: actualValue(measure),
      sample: measure.sample,
      min_sample: rule.min_sample,
      severity: rule.severity,
      status,
      message: message(rule, measure, { policy, status, covered: covered.length, elsewhere: facts.elsewhere }),
      evidence: evidence.slice(0, mostListed),
      evidence_total: evidence.length,
      new_total: evidence.filter((item) => item.new).length,
      to_pass: status === 'CONDITION_STATUS_NOT_EVALUATED' ? 0 : toPass(rule, measure),
      waived_by_risk_ids: status === 'CONDITION_STATUS_WAIVED' ? waiving(risks, measure.items, rule.id) : [],
    },
  }
}

/** Only an approved risk that counts for this verdict covers anything. */
function covers({ state, counts, covered }: RiskFact, item: CostedItem['item'], conditionId: string): boolean {
  if (!counts || state !== 'RISK_STATE_APPROVED') return false
  const places = covered.get(identity(item))
  return places !== undefined && (places.length === 0 || places.includes(conditionId))
}

/** A count above its limit fails with any sample, because a larger sample cannot make it less. */
function decide(rule: Rule, measure: Measure, covered: number): Status {
  const held = holds(rule, measure)
  if (lacksSample(rule, measure) && (held || measure.isShare)) return 'CONDITION_STATUS_NOT_EVALUATED'
  if (held) return 'CONDITION_STATUS_PASS'
  const isWaived = covered > 0 && covered === measure.items.length
  return isWaived ? 'CONDITION_STATUS_WAIVED' : 'CONDITION_STATUS_FAIL'
}

function lacksSample(rule: Rule, { sample }: Measure): boolean {
  return sample < neededSample(rule)
}

/** The smallest sample with which the condition is evaluated. */
export function neededSample({ metric, min_sample }: Rule): number {
  return Math.max(min_sample, metrics[metric].leastSample)
}

function waiving(risks: readonly RiskFact[], items: readonly CostedItem[], conditionId: string): string[] {
  return risks
    .filter((risk) => items.some(({ item }) => covers(risk, item, conditionId)))
    .map(({ id }) => id)
    .toSorted(compareText)
}

interface Decided {
  policy: Policy
  status: Status
  covered: number
  elsewhere: readonly string[]
}

function message(rule: Rule, measure: Measure, { policy, status, covered, elsewhere }: Decided): string {
  if (status === 'CONDITION_STATUS_NOT_EVALUATED') {
    const where = rule.metric === 'failing_tests' ? elsewherePart(elsewhere) : ''
    return `Not evaluated: the scope has ${sampleSize(rule, measure.sample, policy)}, and the policy asks for at least ${String(neededSample(rule))}.${where}`
  }
  return `${metrics[rule.metric].says(measure)}; ${limit(rule, measure)}.${coveredPart(measure.items.length, covered)}`
}

/** Where the results are that a reader misses. */
function elsewherePart(elsewhere: readonly string[]): string {
  const names = elsewhere.filter((name) => name !== '').toSorted(compareText)
  const places = [
    ...(names.length === 0 ? [] : [`in environment${names.length === 1 ? '' : 's'} ${names.join(', ')}`]),
    ...(names.length === elsewhere.length ? [] : [names.length === 0 ? 'in other environments' : 'in others']),
  ]
  if (places.length === 0) return ''
  return ` Results of this version are ${places.join(' and ')}: they count where no environment is named.`
}

/** `3 linked tests`, `no approved requirement`: how large the sample of a condition is. */
export function sampleSize({ metric }: Rule, sample: number, policy: Policy): string {
  const { sampled, samplesRequirements } = metrics[metric]
  const [one, others] = sampled
  const status = samplesRequirements && !policy.include_draft_requirements ? 'approved ' : ''
  return `${sample === 0 ? 'no' : String(sample)} ${status}${sample > 1 ? others : one}`
}

function limit(rule: Rule, measure: Measure): string {
  const number = bound(rule, measure)
  if (rule.comparator === 'COMPARATOR_LTE') return `the policy allows ${number === 0 ? 'none' : String(number)}`
  return `the policy requires ${number === measure.sample && number > 1 ? 'all' : String(number)}`
}

function coveredPart(total: number, covered: number): string {
  if (covered === 0) return ''
  if (covered === total) return ' Approved risks cover every item.'
  return ` Approved risks cover ${String(covered)} of ${many(total, 'item')}.`
}
