import type * as z from 'zod'
import { shortName } from '../../../../contract/quality-gate/short-name.ts'
import type { Verdict } from '../../../../contract/quality-gate/verdict.ts'
import type { EndedRisk } from '../../../gate/risks/facts.ts'
import { timestamp } from '../../../shared/times.ts'
import { keepFirst, type TruncationNotes } from '../../../shared/truncation-notes.ts'
import { keepFitting } from '../../output-size.ts'
import { chooseAction } from './actions.ts'
import type { LastRun } from './last-run.ts'
import type { GateWatchOutput } from './output.ts'
import { plainWord } from './plain-words.ts'
import { shownItem } from './shown-item.ts'

export type VerdictBody = z.input<typeof Verdict>
type ConditionBody = VerdictBody['conditions'][number]

/** Entries of each list. */
const LISTED = 50
/** What each list that can be large may use of the output. */
const SHARES = { newlyFailing: 0.3, improved: 0.1, toGreen: 0.35, risks: 0.15 }

export interface Watched {
  verdict: VerdictBody
  /** The id of the scope's newest verdict before this run; '' for none. */
  newestBefore: string
  /** On the same scope. */
  last: LastRun | undefined
  scope: GateWatchOutput['scope']
  /** Risks that ended since `last`, or since the previous verdict. */
  ended: readonly EndedRisk[]
  improved: GateWatchOutput['improved']
  /** What to do about requirements, by their ids. */
  gapActions: ReadonlyMap<string, string>
  /** Epoch milliseconds. */
  now: number
}

/** The output of a run: what the verdict says now, and what is different from the last run on the scope. */
export function reportVerdict(watched: Watched, notes: TruncationNotes): GateWatchOutput {
  const { verdict, newestBefore, last, scope, ended, improved, gapActions, now } = watched
  const failing = verdict.conditions.filter(({ status }) => status === 'CONDITION_STATUS_FAIL')
  const before = comparedWith(verdict, last)
  const fresh = before === null || last?.verdict.id === verdict.id ? [] : failing
  const newTotal = fresh.reduce((total, { new_total: count }) => total + count, 0)
  // A condition of the verdict lists at most 20 of its items.
  const newlyFailing = fresh.flatMap(newItems).slice(0, LISTED)
  notes.noteCut('newly_failing', 'max_items', newlyFailing.length, newTotal)
  const toGreen = failing.toSorted(blockingFirst).map((condition) => cheapest(condition, gapActions))
  for (const { to_pass: needed, listed } of toGreen) notes.noteCut('to_green.cheapest', 'max_items', listed, needed)
  return {
    checked_at: timestamp(now),
    scope,
    verdict: {
      id: verdict.id,
      status: shortName(verdict.status),
      status_reason: verdict.status_reason,
      settled_by: verdict.settled_by,
      computed_at: verdict.computed_at,
      stale: verdict.stale,
      failed_blocking: verdict.failed_blocking,
      failed_advisory: verdict.failed_advisory,
    },
    is_new_verdict: verdict.id !== newestBefore,
    compared_with: before,
    changes: listChanges(verdict, last),
    newly_failing: keepFitting(notes, 'newly_failing', newlyFailing, { share: SHARES.newlyFailing }),
    newly_failing_total: newTotal,
    improved: keepFitting(notes, 'improved', improved, { share: SHARES.improved, max: LISTED }),
    conditions: verdict.conditions.map(({ id, status, severity, message, evidence_total, to_pass }) => ({
      id,
      status: plainWord(status),
      severity: plainWord(severity),
      message,
      evidence_total,
      to_pass,
    })),
    to_green: keepFitting(notes, 'to_green', toGreen, { share: SHARES.toGreen }),
    risks: reportRisks(verdict, ended, notes),
  }
}

function comparedWith(verdict: VerdictBody, last: LastRun | undefined): GateWatchOutput['compared_with'] {
  if (last !== undefined) return { source: 'last_run', at: last.checked_at, status: last.verdict.status }
  const { previous } = verdict
  return previous && { source: 'previous_verdict', at: previous.computed_at, status: shortName(previous.status) }
}

function listChanges({ conditions, changes }: VerdictBody, last: LastRun | undefined): GateWatchOutput['changes'] {
  if (last === undefined)
    return changes.map(({ condition_id: id, from, to }) => ({
      condition_id: id,
      from: plainWord(from),
      to: plainWord(to),
    }))
  const before = new Map(last.conditions.map(({ id, status }) => [id, status]))
  return conditions.flatMap(({ id, status }) => {
    const [from, to] = [before.get(id), plainWord(status)]
    return from === undefined || from === to ? [] : [{ condition_id: id, from, to }]
  })
}

function newItems({ id, severity, evidence }: ConditionBody): GateWatchOutput['newly_failing'] {
  return evidence
    .filter((one) => one.new)
    .map((one) => ({ condition_id: id, severity: plainWord(severity), ...shownItem(one), since: one.since }))
}

function blockingFirst(left: ConditionBody, right: ConditionBody): number {
  const place = ({ severity }: ConditionBody) => (severity === 'CONDITION_SEVERITY_BLOCKING' ? 0 : 1)
  return place(left) - place(right)
}

/** Evidence has new items first; among those of equal age the cheapest to fix come first (contract §7). */
function cheapest(
  condition: ConditionBody,
  gapActions: ReadonlyMap<string, string>,
): GateWatchOutput['to_green'][number] {
  const { id, severity, to_pass, evidence } = condition
  const items = evidence
    .slice(0, to_pass)
    .map((item) => ({ ...shownItem(item), do: chooseAction(item, condition, gapActions) }))
  return { condition_id: id, severity: plainWord(severity), to_pass, listed: items.length, cheapest: items }
}

function reportRisks(
  verdict: VerdictBody,
  ended: readonly EndedRisk[],
  notes: TruncationNotes,
): GateWatchOutput['risks'] {
  const risks = new Map(verdict.risks.map((risk) => [risk.id, risk]))
  const ending = verdict.risks_ending.map(({ risk_id, expires_at }) => ({
    risk_id,
    expires_at,
    condition_ids: risks.get(risk_id)?.condition_ids ?? [],
    items: risks.get(risk_id)?.covered_evidence.length ?? 0,
  }))
  return {
    active: verdict.active_risk_ids.length,
    pending: verdict.pending_risk_ids.length,
    ending: keepFitting(notes, 'risks.ending', ending, { share: SHARES.risks, max: LISTED }),
    ended: keepFirst(
      notes,
      'risks.ended',
      ended.map(({ id, state, endedAt }) => ({ risk_id: id, state: plainWord(state), ended_at: timestamp(endedAt) })),
      LISTED,
    ),
  }
}
