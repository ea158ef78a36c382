import type * as z from 'zod'
import type { GatePolicy, VerdictStatus } from '../../../contract/quality-gate/policy.ts'
import { counted as many } from '../../../lib/counted.ts'
import { cut, onOneLine, replaceControls } from '../../../lib/text.ts'
import type { GateFacts, IncompleteRun, RiskFact, RiskPerson } from '../facts.ts'
import { neededSample, sampleSize, type ConditionBody } from './condition.ts'
import { provesSomething } from './counting.ts'
import { compareText } from './evidence.ts'

export type StatusName = z.output<typeof VerdictStatus>

interface Decided {
  facts: GateFacts
  policy: z.output<typeof GatePolicy>
  conditions: readonly ConditionBody[]
  risks: readonly RiskFact[]
}

/** The status, why, and what would settle an open verdict: FAIL > INCONCLUSIVE > PASS_WITH_RISK > WARN > PASS. */
export function decideStatus(decided: Decided): { status: StatusName; status_reason: string; settled_by: string } {
  const { conditions } = decided
  const open = findOpenQuestion(decided)
  const select = (severity: string, ...statuses: string[]) =>
    conditions.filter((one) => one.severity === `CONDITION_SEVERITY_${severity}` && statuses.includes(one.status))
  const failing = select('BLOCKING', 'CONDITION_STATUS_FAIL')
  const waived = select('BLOCKING', 'CONDITION_STATUS_WAIVED')
  const advisory = select('ADVISORY', 'CONDITION_STATUS_FAIL', 'CONDITION_STATUS_WAIVED')
  const say = (status: StatusName, reason: string, settledBy = '') => ({
    status,
    status_reason: `${reason}${status === 'VERDICT_STATUS_FAIL' ? '' : outside(decided)}${approvedAlone(decided)}.`,
    settled_by: settledBy,
  })
  if (failing.length > 0) return say('VERDICT_STATUS_FAIL', failReason(failing, decided.risks))
  if (open !== undefined) return say('VERDICT_STATUS_INCONCLUSIVE', open.reason, open.settledBy)
  if (waived.length > 0) return say('VERDICT_STATUS_PASS_WITH_RISK', riskReason(waived, decided.risks))
  if (advisory.length > 0) {
    return say(
      'VERDICT_STATUS_WARN',
      `No blocking condition fails, but ${many(advisory.length, 'advisory one')} ${advisory.length === 1 ? 'does' : 'do'} not hold: ${names(advisory)}`,
    )
  }
  return say('VERDICT_STATUS_PASS', passReason(conditions))
}

/** Why the evidence is not enough to decide, and the one fact that would settle it; undefined when it is enough. */
function findOpenQuestion({ facts, policy, conditions }: Decided): { reason: string; settledBy: string } | undefined {
  const [run] = sortRuns(facts.incompleteRuns)
  if (run !== undefined) return incomplete(run, facts.incompleteRuns.length)
  if (!facts.tests.some(provesSomething))
    return { reason: 'No test result in this scope counts', settledBy: sendResults }
  if (conditions.some(({ status }) => status !== 'CONDITION_STATUS_NOT_EVALUATED')) return undefined
  const [first] = policy.conditions.filter(({ enabled }) => enabled)
  if (first === undefined) {
    return {
      reason: 'The policy has no enabled condition',
      settledBy: 'Enable a condition in the gate policy of the product.',
    }
  }
  const sample = conditions.find(({ id }) => id === first.id)?.sample ?? 0
  return {
    reason: 'Every condition lacks the sample that it needs',
    settledBy: `${first.id} needs a sample of ${String(neededSample(first))}, and the scope has ${sampleSize(first, sample, policy)}.`,
  }
}

const sendResults =
  'It takes one current test result of this scope: run the tests and send their report with `tracegate report` or the tool ingest_test_report.'

function incomplete(run: IncompleteRun, runs: number): { reason: string; settledBy: string } {
  const others = runs === 1 ? '' : `, and ${many(runs - 1, 'more run')} ${runs === 2 ? 'is' : 'are'} incomplete`
  const missing = run.missing.toSorted((a, b) => a - b)
  const which = `${missing.length === 1 ? 'shard' : 'shards'} ${list(missing.map(String), 20)}`
  return {
    reason: `Run ${run.runId} has ${String(run.received)} of ${many(run.expected, 'shard')}${others}`,
    settledBy:
      `The report of ${which} (counted from 0) of run ${run.runId}: send it with the same run key, ` +
      'with `tracegate report` or the tool ingest_test_report.',
  }
}

/** In the order of their ids, which is the order of their creation. */
export function sortRuns(runs: readonly IncompleteRun[]): IncompleteRun[] {
  return runs.toSorted((a, b) => compareText(a.runId, b.runId))
}

function failReason(failing: readonly ConditionBody[], risks: readonly RiskFact[]): string {
  const pending = risks.filter(({ state }) => state === 'RISK_STATE_PENDING_APPROVAL').length
  const wait =
    pending === 0 ? '' : `; ${many(pending, 'accepted risk')} ${pending === 1 ? 'waits' : 'wait'} for approval`
  return `${many(failing.length, 'blocking condition')} ${failing.length === 1 ? 'fails' : 'fail'}: ${names(failing)}${wait}`
}

function riskReason(waived: readonly ConditionBody[], risks: readonly RiskFact[]): string {
  const decisions = selectWaiving(waived, risks).map(
    ({ acceptedBy, approvedBy }) => `accepted by ${name(acceptedBy)} and approved by ${name(approvedBy)}`,
  )
  return `Risks cover every failure of ${names(waived)}: ${list([...new Set(decisions)], 3, ';')}`
}

function selectWaiving(conditions: readonly ConditionBody[], risks: readonly RiskFact[]): RiskFact[] {
  const ids = new Set(conditions.flatMap((condition) => condition.waived_by_risk_ids))
  return risks.filter(({ id }) => ids.has(id)).toSorted((a, b) => compareText(a.id, b.id))
}

/** Otherwise a reader who has seen a crash of this version would take a pass for a judgement of that crash. */
function outside({ facts }: Decided): string {
  return facts.isUnexposed ? '; errors outside production and staging do not count as new' : ''
}

/** The verdict says so when one person accepted and approved a risk that it rests on (contract §7). */
function approvedAlone({ conditions, risks }: Decided): string {
  const alone = selectWaiving(conditions, risks).filter((risk) => risk.acceptedBy.userId === risk.approvedBy?.userId)
  if (alone.length === 0) return ''
  return `; single_user_approval let one person both accept and approve ${list(
    alone.map(({ id }) => id),
    3,
  )}`
}

/** A member's name within a sentence of the service: one line, without quotation marks. */
function name(person: RiskPerson | undefined): string {
  const shown = cut(onOneLine(replaceControls(person?.displayName ?? '', ' ')), 60)
    .replaceAll(/["“”`<>]/g, '')
    .trim()
  return shown === '' ? `user ${person?.userId ?? ''}`.trim() : shown
}

function passReason(conditions: readonly ConditionBody[]): string {
  const left = conditions.filter(({ status }) => status === 'CONDITION_STATUS_NOT_EVALUATED')
  const evaluated = conditions.length - left.length
  const rest = left.length === 0 ? '' : `; not evaluated: ${names(left)}`
  return `${evaluated === 1 ? 'The one evaluated condition holds' : `All ${String(evaluated)} evaluated conditions hold`}${rest}`
}

function names(conditions: readonly ConditionBody[]): string {
  return list(
    conditions.map(({ id }) => id),
    5,
  )
}

function list(words: readonly string[], most: number, mark = ','): string {
  const shown = words.slice(0, most).join(`${mark} `)
  return words.length <= most ? shown : `${shown}${mark} and ${String(words.length - most)} more`
}
