import { RiskState } from '../../../contract/quality-gate/risks.ts'
import { dayMs } from '../../shared/times.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import { StoredActor } from '../../workspace/actor.ts'
import type { RiskFact, RiskPerson } from '../facts.ts'
import { inScope, riskAwaits, riskCounts, type RiskScope } from './counts.ts'
import { coveredPlaces, type StoredRisk } from './stored.ts'

/** How long before its end a risk is announced. */
const ENDING_MS = 7 * dayMs

interface At {
  productId: number
  now: number
  scope: RiskScope
}

/** The risks of a verdict's scope at a time: those that count, then those that wait for a second person. */
export async function readOpenRisks(
  rows: Rows,
  { productId, now, scope }: At,
): Promise<{ active: StoredRisk[]; pending: StoredRisk[] }> {
  const found = await rows
    .selectFrom('risk')
    .selectAll()
    .where('product_id', '=', productId)
    .where('state', 'in', ['RISK_STATE_PENDING_APPROVAL', 'RISK_STATE_APPROVED'])
    .orderBy('accepted_at')
    .orderBy('id')
    .execute()
  const at = { now, scope }
  return {
    active: found.filter((risk) => riskCounts(withState(risk), at)),
    pending: found.filter((risk) => riskAwaits(withState(risk), at)),
  }
}

/** A risk as the judgement reads it. */
export function riskFact(risk: StoredRisk, at: Pick<At, 'now' | 'scope'>): RiskFact {
  const counts = riskCounts(withState(risk), at)
  return {
    id: risk.id,
    state: counts ? 'RISK_STATE_APPROVED' : 'RISK_STATE_PENDING_APPROVAL',
    counts,
    covered: coveredPlaces(risk),
    acceptedBy: person(risk.accepted_by),
    approvedBy: risk.approved_by === null ? undefined : person(risk.approved_by),
  }
}

/** Of active risks, those that end within 7 days, the first to end first. */
export function endingRisks(active: readonly StoredRisk[], now: number): StoredRisk[] {
  return active
    .filter(({ expires_at }) => expires_at <= now + ENDING_MS)
    .toSorted((left, right) => left.expires_at - right.expires_at)
}

/** A risk that was approved and counts no more. */
export interface EndedRisk {
  id: string
  state: 'RISK_STATE_EXPIRED' | 'RISK_STATE_REVOKED'
  /** Epoch milliseconds. */
  endedAt: number
}

/** The risks of the scope that were approved and ended after `since`, up to now; the newest end first. */
export async function readEndedRisks(
  rows: Rows,
  { productId, now, scope, since }: At & { since: number },
): Promise<EndedRisk[]> {
  const found = await rows
    .selectFrom('risk')
    .selectAll()
    .where('product_id', '=', productId)
    .where('approved_by', 'is not', null)
    .where((eb) => eb.or([eb('expires_at', '>', since), eb('decided_at', '>', since)]))
    .orderBy('id')
    .execute()
  return found
    .filter((risk) => inScope(risk, scope))
    .map(ended)
    .filter(({ endedAt }) => endedAt > since && endedAt <= now)
    .toSorted((left, right) => right.endedAt - left.endedAt)
}

function ended({ id, state, decided_at, expires_at }: StoredRisk): EndedRisk {
  return state === 'RISK_STATE_REVOKED' && decided_at !== null
    ? { id, state, endedAt: decided_at }
    : { id, state: 'RISK_STATE_EXPIRED', endedAt: expires_at }
}

function person(stored: string): RiskPerson {
  const { user_id: userId, display_name: displayName } = readJson(StoredActor, stored)
  return { userId, displayName }
}

function withState(risk: StoredRisk) {
  return { ...risk, state: RiskState.parse(risk.state) }
}
