import * as z from 'zod'
import {
  accept,
  Actor,
  ExclusionReason,
  Id,
  IdOrEmpty,
  Key,
  NamedRef,
  prefixed,
  Ref,
  RequestId,
  Sentence,
  Timestamp,
} from './base/common.ts'
import { endpoint, list, paging } from './base/endpoint.ts'
import { team, untrusted } from './base/text.ts'

export const LinkRole = prefixed('LINK_ROLE', ['VERIFIES', 'PARTIALLY_VERIFIES', 'EXERCISES'])
export const LinkState = prefixed('LINK_STATE', ['ACTIVE', 'SUSPECT'])
export const LinkOrigin = prefixed('LINK_ORIGIN', ['MANUAL', 'ANNOTATION', 'AGENT', 'MERGE'])
export const LinkProposalAction = prefixed('LINK_PROPOSAL_ACTION', ['ADD', 'REMOVE'])
export const LinkProposalState = prefixed('LINK_PROPOSAL_STATE', [
  'PENDING',
  'APPROVED',
  'REJECTED',
  'APPLIED',
  'OBSOLETE',
])
export const ReviewDecision = prefixed('REVIEW_DECISION', ['APPROVE', 'REJECT'])

export const TestLink = z.object({
  test_id: Id,
  test_key: Key,
  test_title: untrusted(z.string()),
  test_names_known: z.boolean(),
  requirement_id: Id,
  requirement_key: Key,
  requirement_title: team(z.string()),
  role: LinkRole,
  criterion_ids: z.array(Id),
  state: LinkState,
  requirement_version: z.int(),
  requirement_current_version: z.int(),
  requirement_changes: team(z.string()).describe(
    'Of a suspect link: how the wording changed since requirement_version, as [-removed-]{+added+}.',
  ),
  origin: LinkOrigin,
  confidence: z.number(),
  created_by: Actor,
  created_at: Timestamp,
  confirmed_at: Timestamp.nullable(),
})

export const LinkProposal = z.object({
  id: Id,
  branch_id: Id,
  test: NamedRef,
  requirement: Ref,
  action: LinkProposalAction,
  role: LinkRole,
  criterion_ids: z.array(Id),
  state: LinkProposalState,
  confidence: z.number(),
  rationale: team(z.string()),
  signals: z.array(z.object({ name: Key, value: z.number() })),
  origin: LinkOrigin,
  created_by: Actor,
  created_at: Timestamp,
  reviewed_by: Actor.nullable(),
  reviewed_at: Timestamp.nullable(),
  review_note: team(z.string()),
})

export const linkTest = endpoint({
  method: 'POST',
  path: '/v1/tests/{test_id}/links',
  summary: 'Link a test to a requirement or confirm the link; with branch_id, propose the link on that branch.',
  input: {
    test_id: Id,
    requirement_id: Id.optional().describe('Pass either this or requirement_key.'),
    requirement_key: z.string().min(1).max(40).optional(),
    role: accept(LinkRole).optional().describe('Default LINK_ROLE_VERIFIES.'),
    criterion_ids: z.array(Id).max(100).optional(),
    branch_id: Id.optional(),
    confidence: z.number().min(0).max(1).optional(),
    rationale: z.string().max(2000).optional(),
    confirm: z
      .boolean()
      .optional()
      .describe('Make a suspect link active at the present version; requires reason. Without it a link stays suspect.'),
    reason: ExclusionReason.optional(),
    request_id: RequestId.optional(),
  },
  returns: { link: TestLink.nullable(), proposal: LinkProposal.nullable() },
  retry: 'idempotent',
  fails: ['invalid_argument', 'not_found', 'failed_precondition'],
  reasons: ['PRODUCT_MISMATCH', 'GROUP_NOT_LINKABLE', 'BRANCH_NOT_OPEN'],
})

export const unlinkTest = endpoint({
  method: 'DELETE',
  path: '/v1/tests/{test_id}/links/{requirement_id}',
  summary: 'Remove a link; with branch_id, propose its removal on that branch.',
  input: { test_id: Id, requirement_id: Id, branch_id: Id.optional(), reason: ExclusionReason.optional() },
  fails: ['not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})

export const listTestLinks = endpoint({
  method: 'GET',
  path: '/v1/tests/{test_id}/links',
  summary: 'Links of a test to requirements.',
  input: { test_id: Id, state: accept(LinkState).optional(), ...paging },
  returns: { ...list('links', TestLink) },
  fails: ['invalid_argument', 'not_found'],
})

export const listLinkProposals = endpoint({
  method: 'GET',
  path: '/v1/branches/{branch_id}/link-proposals',
  summary: 'Link proposals of a branch, most confident first.',
  input: {
    branch_id: Id,
    state: z.array(accept(LinkProposalState)).optional().describe('Default LINK_PROPOSAL_STATE_PENDING.'),
    min_confidence: z.number().min(0).max(1).optional(),
    test_id: Id.optional(),
    requirement_id: Id.optional(),
    ...paging,
  },
  returns: { ...list('link_proposals', LinkProposal) },
  fails: ['invalid_argument', 'not_found'],
})

export const reviewLinkProposals = endpoint({
  method: 'POST',
  path: '/v1/branches/{branch_id}/link-proposals:review',
  summary: 'Approve or reject link proposals; failures are listed and do not affect the others.',
  input: {
    branch_id: Id,
    reviews: z
      .array(z.object({ proposal_id: Id, decision: accept(ReviewDecision), note: z.string().max(1000).optional() }))
      .min(1)
      .max(200)
      .optional()
      .describe('Pass either this, or proposal_ids with one decision for all.'),
    proposal_ids: z.array(Id).min(1).max(200).optional(),
    decision: accept(ReviewDecision).optional(),
    note: z.string().max(1000).optional(),
    request_id: RequestId.optional(),
  },
  returns: {
    link_proposals: z.array(LinkProposal),
    approved_count: z.int(),
    rejected_count: z.int(),
    failures: z.array(z.object({ proposal_id: IdOrEmpty, code: Key, message: Sentence })),
  },
  fails: ['invalid_argument', 'not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})
