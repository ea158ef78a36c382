import type { Selectable } from 'kysely'
import * as z from 'zod'
import { RiskLevel } from '../../../contract/base/common.ts'
import { DecisionWay, EvidenceType, type Risk, RiskState } from '../../../contract/quality-gate/risks.ts'
import { computeEtag } from '../../shared/etag.ts'
import { timestamp, timestampOrNull } from '../../shared/times.ts'
import { readJson, readTexts } from '../../sql/json.ts'
import type { RiskRow } from '../../sql/schema-gate.ts'
import { StoredActor } from '../../workspace/actor.ts'
import { identity } from '../facts.ts'
import { stateAt } from './counts.ts'

/** A row of `risk`. */
export type StoredRisk = Selectable<RiskRow>

/** An item by what identifies it in every verdict. */
export const Item = z.object({ type: EvidenceType, id: z.string() })
export type Item = z.output<typeof Item>

/** An accepted item with the conditions that listed it; a risk of an older version has only `condition_ids` of its own. */
const AcceptedItem = Item.extend({ condition_ids: z.array(z.string()) })
export type AcceptedItem = z.output<typeof AcceptedItem>
const StoredItem = AcceptedItem.partial({ condition_ids: true })

/**
 * The identity (`type:id`) of each item that a risk covers, with the conditions in which it does; no condition: in every one,
 * as risks of an older version have it.
 */
export function coveredPlaces({
  covered_evidence: stored,
  condition_ids: named,
}: Pick<StoredRisk, 'covered_evidence' | 'condition_ids'>): Map<string, readonly string[]> {
  const every = readTexts(named)
  const items = readJson(z.array(StoredItem), stored)
  return new Map(items.map((item) => [identity(item), item.condition_ids ?? every]))
}

/** The items that a risk covers, fixed when it was accepted. */
export function coveredItems({ covered_evidence: stored }: Pick<StoredRisk, 'covered_evidence'>): Item[] {
  return readJson(z.array(Item), stored)
}

/** The contract's risk. Its state is that of `now`, also before `expireRisks` has stored it. */
export function viewRisk(risk: StoredRisk, now: number): z.input<typeof Risk> {
  return {
    id: risk.id,
    product_id: String(risk.product_id),
    state: stateAt({ ...risk, state: RiskState.parse(risk.state) }, now),
    condition_ids: readTexts(risk.condition_ids),
    requirement_ids: readTexts(risk.requirement_ids),
    issue_ids: readTexts(risk.issue_ids),
    test_ids: readTexts(risk.test_ids),
    covered_evidence: coveredItems(risk),
    scope: { release_id: risk.release_id, environment_id: risk.environment_id, release_line: risk.release_line },
    reason: risk.reason,
    mitigation: risk.mitigation,
    ticket_url: risk.ticket_url,
    severity: RiskLevel.parse(risk.severity),
    accepted_by: readJson(StoredActor, risk.accepted_by),
    accepted_way: DecisionWay.parse(risk.accepted_way),
    accepted_at: timestamp(risk.accepted_at),
    approved_by: actorOrNull(risk.approved_by),
    decided_by: actorOrNull(risk.decided_by),
    decided_way: risk.decided_way === null ? null : DecisionWay.parse(risk.decided_way),
    decided_at: timestampOrNull(risk.decided_at),
    decision_note: risk.decision_note,
    expires_at: timestamp(risk.expires_at),
    renews_risk_id: risk.renews_risk_id,
    verdict_id: risk.verdict_id,
    etag: computeEtag(risk.id, risk.version),
  }
}

function actorOrNull(stored: string | null) {
  return stored === null ? null : readJson(StoredActor, stored)
}
