import * as z from 'zod'
import { Actor, Etag, Id, IdOrEmpty, Key, prefixed, ProductId, RiskLevel, Timestamp } from '../base/common.ts'
import { team } from '../base/text.ts'

export const RiskState = prefixed('RISK_STATE', ['PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'EXPIRED', 'REVOKED'])
export const RiskDecision = prefixed('RISK_DECISION', ['APPROVE', 'REJECT', 'REVOKE'])
/** How a person decided: a dialog of an MCP client, the confirmation page, a terminal, a preview's handle, or REST alone. */
export const DecisionWay = prefixed('DECISION_WAY', ['FORM', 'PAGE', 'TERMINAL', 'HANDLE', 'API'])
export const EvidenceType = z.enum(['requirement', 'test', 'issue', 'link', 'exclusion'])

export const Risk = z.object({
  id: Id,
  product_id: ProductId,
  state: RiskState,
  condition_ids: z.array(Key),
  requirement_ids: z.array(Id),
  issue_ids: z.array(Id),
  test_ids: z.array(Id),
  covered_evidence: z
    .array(z.object({ type: EvidenceType, id: IdOrEmpty }))
    .describe('Fixed when the risk was accepted: an item that fails later is not covered.'),
  scope: z.object({
    release_id: IdOrEmpty,
    environment_id: IdOrEmpty,
    release_line: team(z.string()).describe('`1.4.*`: every release of that line.'),
  }),
  reason: team(z.string()),
  mitigation: team(z.string()),
  ticket_url: team(z.string()),
  severity: RiskLevel,
  accepted_by: Actor,
  accepted_way: DecisionWay,
  accepted_at: Timestamp,
  approved_by: Actor.nullable().describe('Who approved it.'),
  decided_by: Actor.nullable().describe('Who approved, rejected or revoked it last.'),
  decided_way: DecisionWay.nullable(),
  decided_at: Timestamp.nullable(),
  decision_note: team(z.string()),
  expires_at: Timestamp,
  renews_risk_id: IdOrEmpty.describe('The ended or other-release risk that it renews.'),
  verdict_id: IdOrEmpty,
  etag: Etag,
})
