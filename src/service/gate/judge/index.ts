import type * as z from 'zod'
import type { GatePolicy } from '../../../contract/quality-gate/policy.ts'
import type { ConditionStatus, Verdict } from '../../../contract/quality-gate/verdict.ts'
import type { GateFacts, RiskFact } from '../facts.ts'
import { judgeCondition } from './condition.ts'
import { compareText, listSince, type EarlierItems, type ListedSince } from './evidence.ts'
import { decideStatus } from './status.ts'
import { listExclusions, listIncompleteRuns, listUnvouched, summarise, summariseResults } from './summary.ts'

/** What the judgement reads of an earlier verdict. */
export interface EarlierVerdict {
  conditions: readonly { id: string; status: z.output<typeof ConditionStatus> }[]
  /** Its `evidenceIdentities`. */
  evidence: ListedSince
}

export interface Judged {
  facts: GateFacts
  policy: z.output<typeof GatePolicy>
  /** The pending and the approved risks of the scope. */
  risks: readonly RiskFact[]
  /** The newest verdict of the scope. */
  previous: EarlierVerdict | undefined
  /** The verdict that `new` compares with; undefined: the previous one. */
  baseline: Pick<EarlierVerdict, 'evidence'> | undefined
  /** Epoch milliseconds. */
  now: number
}

type FromFacts =
  | 'status'
  | 'status_reason'
  | 'settled_by'
  | 'conditions'
  | 'summary'
  | 'results'
  | 'incomplete_runs'
  | 'exclusions'
  | 'exclusions_total'
  | 'exclusions_unreviewed'
  | 'unvouched'
  | 'failed_blocking'
  | 'failed_advisory'
  | 'pending_risk_ids'
  | 'active_risk_ids'
  | 'policy_version'
  | 'changes'

export interface Judgement extends Pick<z.input<typeof Verdict>, FromFacts> {
  /** Since when each condition lists each of its items, to be stored for the next verdict. */
  evidenceIdentities: ListedSince
}

/** `unvouched` is not a condition, but its items are followed from verdict to verdict too. */
const unvouchedId = 'unvouched:'

/** The part of a verdict that follows from the facts (contract §7). Facts in any order give the same judgement. */
export function judge({ facts, policy, risks, previous, baseline, now }: Judged): Judgement {
  const earlierItems = (id: string): EarlierItems => {
    const listed = previous?.evidence[id] ?? {}
    return { previous: listed, known: baseline === undefined ? listed : (baseline.evidence[id] ?? {}), now }
  }
  const judged = policy.conditions
    .filter(({ enabled }) => enabled)
    .map((rule) => judgeCondition(rule, facts, { policy, risks, earlier: earlierItems(rule.id) }))
  const conditions = judged.map(({ condition }) => condition)
  const failed = (severity: string) =>
    conditions.filter((one) => one.status === 'CONDITION_STATUS_FAIL' && one.severity === severity).length
  const { unvouched, evidence } = listUnvouched(facts, earlierItems(unvouchedId))
  return {
    ...decideStatus({ facts, policy, conditions, risks }),
    conditions,
    summary: summarise(facts),
    results: summariseResults(facts),
    incomplete_runs: listIncompleteRuns(facts),
    ...listExclusions(facts),
    unvouched,
    failed_blocking: failed('CONDITION_SEVERITY_BLOCKING'),
    failed_advisory: failed('CONDITION_SEVERITY_ADVISORY'),
    pending_risk_ids: riskIds(risks, ({ state }) => state === 'RISK_STATE_PENDING_APPROVAL'),
    active_risk_ids: riskIds(risks, ({ state, counts }) => counts && state === 'RISK_STATE_APPROVED'),
    policy_version: policy.version,
    changes: listChanges(conditions, previous),
    evidenceIdentities: {
      ...Object.fromEntries(judged.map((one) => [one.condition.id, listSince(one.evidence)])),
      [unvouchedId]: listSince(evidence),
    },
  }
}

function riskIds(risks: readonly RiskFact[], isChosen: (risk: RiskFact) => boolean): string[] {
  return risks
    .filter(isChosen)
    .map(({ id }) => id)
    .toSorted(compareText)
}

function listChanges(conditions: Judgement['conditions'], previous: EarlierVerdict | undefined): Judgement['changes'] {
  const before = new Map(previous?.conditions.map(({ id, status }) => [id, status]))
  return conditions.flatMap(({ id, status }) => {
    const from = before.get(id)
    return from === undefined || from === status ? [] : [{ condition_id: id, from, to: status }]
  })
}
