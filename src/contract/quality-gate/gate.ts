import * as z from 'zod'
import {
  accept,
  Etag,
  Id,
  IdList,
  ProductId,
  RequestId,
  RiskLevel,
  TimestampInput,
  ValidateOnly,
} from '../base/common.ts'
import { endpoint } from '../base/endpoint.ts'
import { GatePolicyInput } from './policy.ts'
import { DecisionWay, Risk, RiskDecision } from './risks.ts'
import { Exclusion, Verdict } from './verdict.ts'

/** Members that select the scope of a verdict or of the matrix; absent = the whole product. */
export const gateScope = {
  release_id: Id.optional(),
  environment_id: Id.optional(),
  branch_id: Id.optional(),
  commit_sha: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/i, 'a commit SHA of at least 7 hexadecimal digits')
    .optional()
    .describe('Only results of this commit prove something.'),
  git_branch: z.string().trim().min(1).max(250).optional().describe('Only results of this git branch count.'),
}

export const computeGate = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/quality-gate:compute',
  summary: 'Compute and store the verdict of a scope; unchanged inputs return the newest verdict.',
  input: {
    product_id: ProductId,
    ...gateScope,
    baseline_id: Id.optional().describe('An earlier verdict: evidence that it lists is not new.'),
    policy_override: GatePolicyInput.optional().describe('For this verdict only; not stored.'),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { verdict: Verdict },
  retry: 'idempotent',
  fails: ['invalid_argument', 'not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})

export const getGate = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/quality-gate',
  summary: 'The newest verdict of a scope, or an earlier one by its id.',
  input: { product_id: ProductId, ...gateScope, verdict_id: Id.optional() },
  returns: { verdict: Verdict },
  fails: ['invalid_argument', 'not_found', 'failed_precondition'],
  reasons: ['VERDICT_NOT_COMPUTED', 'BRANCH_NOT_OPEN'],
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
    by_cause: z
      .boolean()
      .optional()
      .describe('Also the failing items with the same cause: tests of the same issue, items of the same component.'),
    renew_risk_id: Id.optional().describe('Accept again what this ended or other-release risk covers and still fails.'),
    reason: z.string().trim().min(20).max(2000),
    mitigation: z.string().max(2000).optional(),
    ticket_url: z.string().max(2000).optional(),
    severity: accept(RiskLevel).optional(),
    expires_at: TimestampInput.optional().describe('At most 90 days ahead; instead of ttl_days.'),
    ttl_days: z.int().min(1).max(90).optional().describe('Default 30.'),
    scope: z
      .object({
        release_id: Id.optional(),
        environment_id: Id.optional(),
        release_line: z
          .string()
          .regex(/^\d+(\.\d+)*\.\*$/, 'a line of releases such as 1.4.*')
          .optional()
          .describe('Instead of release_id: every release of the line; release_id then names the verdict.'),
      })
      .optional()
      .describe('The scope whose newest verdict provides the failing items.'),
    way: accept(DecisionWay).optional().describe('How the person decided. Default DECISION_WAY_API.'),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { risk: Risk, verdict: Verdict },
  scope: 'gate:accept',
  fails: ['invalid_argument', 'not_found', 'already_exists', 'failed_precondition'],
  reasons: ['NOTHING_TO_ACCEPT', 'EXPIRY_TOO_FAR', 'VERDICT_NOT_COMPUTED', 'RISK_EXISTS'],
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
    way: accept(DecisionWay).optional().describe('How the person decided. Default DECISION_WAY_API.'),
    etag: Etag.optional(),
    request_id: RequestId.optional(),
  },
  returns: { risk: Risk, verdict: Verdict },
  scope: 'gate:approve',
  fails: ['invalid_argument', 'not_found', 'aborted', 'failed_precondition'],
  reasons: ['FOUR_EYES_REQUIRED', 'RISK_STATE_INVALID', 'PERSON_REQUIRED'],
})

export const reviewExclusions = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/quality-gate:review-exclusions',
  summary: 'Record that a person has seen exclusions that an agent made; not available to agents.',
  input: {
    product_id: ProductId,
    exclusion_ids: IdList.min(1),
    note: z.string().max(1000).optional(),
    request_id: RequestId.optional(),
  },
  returns: { exclusions: z.array(Exclusion) },
  retry: 'idempotent',
  scope: 'gate:approve',
  fails: ['invalid_argument', 'not_found'],
  reasons: ['PERSON_REQUIRED'],
})
