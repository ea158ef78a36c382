import * as z from 'zod'
import {
  accept,
  Actor,
  Etag,
  Hash,
  Id,
  IdList,
  IdOrEmpty,
  Key,
  prefixed,
  ProductId,
  RequestId,
  RiskLevel,
  Sentence,
  Timestamp,
  ValidateOnly,
} from './base/common.ts'
import { endpoint } from './base/endpoint.ts'
import { Comparator, ConditionSeverity, GatePolicyInput, Metric, VerdictStatus } from './gate-policy.ts'
import { team, untrusted } from './base/text.ts'

export const ConditionStatus = prefixed('CONDITION_STATUS', ['PASS', 'FAIL', 'WAIVED', 'NOT_EVALUATED'])
export const RiskState = prefixed('RISK_STATE', ['PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'EXPIRED', 'REVOKED'])
export const RiskDecision = prefixed('RISK_DECISION', ['APPROVE', 'REJECT', 'REVOKE'])
export const EvidenceType = z.enum(['requirement', 'test', 'issue', 'link'])

/** `state` is a coverage state, a result, an issue status or a link state, depending on `type`. */
const evidence = { id: IdOrEmpty, key: Key, state: Key }

/** One failing item. Titles of issues come from events, those of tests and links may come from test reports. */
export const Evidence = z.discriminatedUnion('type', [
  z.object({ type: z.literal('requirement'), ...evidence, title: team(z.string()) }),
  z.object({ type: EvidenceType.exclude(['requirement']), ...evidence, title: untrusted(z.string()) }),
])

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
  scope: z.object({ release_id: IdOrEmpty, environment_id: IdOrEmpty }),
  reason: team(z.string()),
  mitigation: team(z.string()),
  ticket_url: team(z.string()),
  severity: RiskLevel,
  accepted_by: Actor,
  accepted_at: Timestamp,
  approved_by: Actor.nullable(),
  decided_at: Timestamp.nullable(),
  decision_note: team(z.string()),
  expires_at: Timestamp,
  verdict_id: IdOrEmpty,
  etag: Etag,
})

export const VerdictCondition = z.object({
  id: Key,
  metric: Metric,
  title: Sentence,
  comparator: Comparator,
  threshold: z.number(),
  actual: z.number(),
  sample: z.int(),
  severity: ConditionSeverity,
  status: ConditionStatus,
  message: Sentence,
  evidence: z.array(Evidence).describe('At most 20, cheapest to fix first.'),
  evidence_total: z.int(),
  to_pass: z
    .int()
    .describe('Minimum number of evidence items that must change for the condition to hold; 0 = it holds.'),
  waived_by_risk_ids: z.array(Id),
})

export const Verdict = z.object({
  id: IdOrEmpty,
  product_id: ProductId,
  status: VerdictStatus,
  status_reason: Sentence,
  scope: z.object({
    release_id: IdOrEmpty,
    environment_id: IdOrEmpty,
    branch_id: IdOrEmpty,
    ephemeral: z.boolean().describe('Computed with a policy from the request; not stored.'),
  }),
  conditions: z.array(VerdictCondition),
  summary: z.object({
    requirements: z.int(),
    verified: z.int(),
    not_run: z.int(),
    no_test: z.int(),
    failing_requirements: z.int(),
    coverage_ratio: z.number(),
    tests: z.int(),
    passed: z.int(),
    failed: z.int(),
    skipped: z.int(),
    flaky: z.int(),
    unresolved_issues: z.int(),
    new_issues: z.int(),
    regressed_issues: z.int(),
  }),
  failed_blocking: z.int(),
  failed_advisory: z.int(),
  pending_risk_ids: z.array(Id),
  active_risk_ids: z.array(Id),
  risks: z.array(Risk).describe('The pending and the active risks in full.'),
  policy_version: z.int(),
  inputs_digest: Hash,
  stale: z.boolean().describe('Requirements, tests, results or issues have changed since.'),
  previous: z.object({ id: Id, status: VerdictStatus, computed_at: Timestamp }).nullable(),
  changes: z.array(z.object({ condition_id: Key, from: ConditionStatus, to: ConditionStatus })),
  computed_by: Actor,
  computed_at: Timestamp,
  etag: Etag,
})

/** Members that select the scope of a verdict or of the matrix; absent = the whole product. */
export const gateScope = {
  release_id: Id.optional(),
  environment_id: Id.optional(),
  branch_id: Id.optional(),
}

export const computeGate = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/quality-gate:compute',
  summary: 'Compute and store the verdict of a scope; unchanged inputs return the newest verdict.',
  input: {
    product_id: ProductId,
    ...gateScope,
    policy_override: GatePolicyInput.optional().describe('For this verdict only; not stored.'),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { verdict: Verdict },
  retry: 'idempotent',
  fails: ['invalid_argument', 'not_found'],
})

export const getGate = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/quality-gate',
  summary: 'The newest verdict of a scope.',
  input: { product_id: ProductId, ...gateScope },
  returns: { verdict: Verdict },
  fails: ['not_found'],
  reasons: ['VERDICT_NOT_COMPUTED'],
})

export const acceptRisk = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/quality-gate:accept-risk',
  summary: 'Accept the risk of the items that fail now, so that another person can approve it.',
  input: {
    product_id: ProductId,
    condition_ids: z.array(z.string().min(1).max(60)).max(50).optional(),
    requirement_ids: IdList.optional(),
    issue_ids: IdList.optional(),
    test_ids: IdList.optional(),
    reason: z.string().trim().min(20).max(2000),
    mitigation: z.string().max(2000).optional(),
    ticket_url: z.string().max(2000).optional(),
    severity: accept(RiskLevel).optional(),
    expires_at: Timestamp.optional().describe('At most 90 days ahead; instead of ttl_days.'),
    ttl_days: z.int().min(1).max(90).optional().describe('Default 30.'),
    scope: z
      .object({ release_id: Id.optional(), environment_id: Id.optional() })
      .optional()
      .describe('The scope whose newest verdict provides the failing items.'),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { risk: Risk, verdict: Verdict },
  scope: 'gate:accept',
  fails: ['invalid_argument', 'not_found', 'already_exists', 'failed_precondition'],
  reasons: ['NOTHING_TO_ACCEPT', 'EXPIRY_TOO_FAR', 'VERDICT_NOT_COMPUTED'],
})

export const approveRisk = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/quality-gate:approve-risk',
  summary: 'Approve, reject or revoke a risk that another person accepted; not available to agents.',
  input: {
    product_id: ProductId,
    risk_id: Id,
    decision: accept(RiskDecision).optional().describe('Default RISK_DECISION_APPROVE.'),
    note: z.string().max(1000).optional(),
    etag: Etag.optional(),
    request_id: RequestId.optional(),
  },
  returns: { risk: Risk, verdict: Verdict },
  scope: 'gate:approve',
  fails: ['invalid_argument', 'not_found', 'aborted', 'failed_precondition'],
  reasons: ['FOUR_EYES_REQUIRED', 'RISK_STATE_INVALID'],
})
