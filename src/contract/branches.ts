import * as z from 'zod'
import {
  accept,
  Actor,
  CoverageEffect,
  Etag,
  Hash,
  Id,
  IdOrEmpty,
  Key,
  prefixed,
  ProductId,
  Ref,
  RequestId,
  Sentence,
  Timestamp,
  TruncationSignals,
  ValidateOnly,
} from './base/common.ts'
import { endpoint, list, paging } from './base/endpoint.ts'
import { VerdictStatus } from './quality-gate/policy.ts'
import { team } from './base/text.ts'

export const BranchState = prefixed('BRANCH_STATE', ['OPEN', 'MERGED', 'CLOSED'])
export const BranchSource = prefixed('BRANCH_SOURCE', ['MANUAL', 'DISTILL', 'AGENT'])
export const ChangeOperation = prefixed('CHANGE_OPERATION', ['CREATE', 'MODIFY', 'DELETE', 'MOVE'])
export const FieldResolution = prefixed('FIELD_RESOLUTION', ['BRANCH', 'MAIN', 'MERGED', 'CONFLICT'])
export const ConflictType = prefixed('CONFLICT_TYPE', [
  'FIELD',
  'TEXT',
  'DELETED_IN_MAIN',
  'MODIFIED_IN_MAIN',
  'PARENT_DELETED',
  'CYCLE',
  'LINK_TARGET_GONE',
  'DECISION',
])
export const Resolution = prefixed('RESOLUTION', ['USE_MAIN', 'USE_BRANCH', 'USE_VALUE'])
export const LinkProposalPolicy = prefixed('LINK_PROPOSAL_POLICY', ['APPROVED', 'ALL', 'NONE'])
export const EntityType = z.enum(['requirement', 'test'])

/** A copy-on-write overlay over the requirement and test tree; not a git branch, though `git_ref` may name one. */
export const Branch = z.object({
  id: Id,
  product_id: ProductId,
  name: team(z.string()),
  description: team(z.string()),
  state: BranchState,
  git_ref: team(z.string()),
  base_revision: z.int(),
  head_revision: z.int(),
  main_revision: z.int(),
  source: z.object({ kind: BranchSource, agent_run_id: IdOrEmpty }),
  counts: z.object({
    created: z.int(),
    modified: z.int(),
    deleted: z.int(),
    moved: z.int(),
    proposals_pending: z.int(),
    proposals_approved: z.int(),
    needs_decision: z.int().describe('Changes that a person has to decide before the merge.'),
  }),
  created_by: Actor,
  created_at: Timestamp,
  updated_at: Timestamp,
  merged_by: Actor.nullable(),
  merged_at: Timestamp.nullable(),
  merged_revision: z.int(),
  etag: Etag,
})

const entity = { entity_type: EntityType, entity_id: IdOrEmpty, key: Key }

export const BranchChange = z.object({
  id: Id,
  ...entity,
  title: team(z.string()),
  operation: ChangeOperation,
  fields: z.array(Key).describe('Names of the members that the branch changes.'),
  needs_decision: z.boolean().describe('It contradicts the main tree: the merge asks for a resolution.'),
  note: team(z.string()).describe('What the change contradicts, or why it was drafted.'),
  created_by: Actor,
  created_at: Timestamp,
})

export const createBranch = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/branches',
  summary: 'Create an empty branch of the requirement and test tree.',
  input: {
    product_id: ProductId,
    name: z.string().trim().min(1).max(120),
    description: z.string().max(2000).optional(),
    git_ref: z.string().max(250).optional(),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { branch: Branch },
  fails: ['invalid_argument', 'not_found', 'already_exists'],
})

export const listBranches = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/branches',
  summary: 'Branches of a product, newest first.',
  input: {
    product_id: ProductId,
    state: z.array(accept(BranchState)).optional().describe('Default BRANCH_STATE_OPEN.'),
    name: z.string().optional(),
    ...paging,
  },
  returns: { ...list('branches', Branch) },
  fails: ['invalid_argument', 'not_found'],
})

export const getBranch = endpoint({
  method: 'GET',
  path: '/v1/branches/{id}',
  summary: 'One branch with its changes, at most 200.',
  input: { id: Id },
  returns: { branch: Branch, changes: z.array(BranchChange) },
  fails: ['not_found'],
})

export const deleteBranch = endpoint({
  method: 'DELETE',
  path: '/v1/branches/{id}',
  summary: 'Close a branch; its changes are kept for audit but no longer apply as an overlay.',
  input: { id: Id, etag: Etag.optional() },
  fails: ['not_found', 'aborted', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})

/** The same member at the fork, in main and in the branch: any JSON value. */
const threeSides = { base: team(z.unknown()), main: team(z.unknown()), branch: team(z.unknown()) }

export const Conflict = z.object({
  id: Hash.describe('Stable: the same conflict has the same id in every preview.'),
  type: ConflictType,
  ...entity,
  field: Key,
  ...threeSides,
  suggested: Resolution,
  suggested_value: team(z.unknown()),
  message: Sentence,
})

/** The same requirement or test, changed on another open branch too. */
export const AlsoChangedIn = z.object({
  branch: Ref.pick({ id: true }).extend({ name: team(z.string()) }),
  ...entity,
  title: team(z.string()),
  fields: z.array(Key).describe('Names of the members that both branches change; all of them for a deletion.'),
  author: Actor,
})

const GateEffect = z.object({ current_status: VerdictStatus, predicted_status: VerdictStatus })

export const MergePreview = z.object({
  branch_id: Id,
  mergeable: z.boolean(),
  preview_token: Hash.describe('Identifies the previewed state; pass it to the merge.'),
  base_revision: z.int(),
  main_revision: z.int(),
  head_revision: z.int(),
  changes: z.array(
    z.object({
      ...entity,
      title: team(z.string()),
      operation: ChangeOperation,
      field_changes: z.array(
        z.object({ field: Key, ...threeSides, merged: team(z.unknown()), resolution: FieldResolution }),
      ),
      statement_diff: team(z.string()).describe('Unified diff; empty when the statement is the same.'),
    }),
  ),
  conflicts: z.array(Conflict),
  link_proposals: z.object({ pending: z.int(), approved: z.int(), rejected: z.int() }),
  coverage_effect: CoverageEffect,
  gate_effect: GateEffect,
  duplicates: z.array(z.object({ requirement: Ref, existing: Ref, similarity: z.number() })),
  also_changed_in: z.array(AlsoChangedIn),
  warnings: z.array(z.object({ code: Key, message: Sentence })),
  truncation_signals: TruncationSignals,
})

export const previewMerge = endpoint({
  method: 'GET',
  path: '/v1/branches/{id}/merge-preview',
  summary: 'Preview a merge: its changes, conflicts and effect on coverage and gate; nothing is stored.',
  input: { id: Id },
  returns: { merge_preview: MergePreview },
  fails: ['not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})

export const Merge = z.object({
  revision: z.int(),
  created: z.int(),
  modified: z.int(),
  deleted: z.int(),
  moved: z.int(),
  links_applied: z.int(),
  proposals_rejected_or_dropped: z.int(),
  id_map: z.array(z.object({ provisional_key: Key, id: Id, key: Key })),
  coverage_effect: CoverageEffect.nullable().describe('With validate_only; null for a merge that is made.'),
  gate_effect: GateEffect.nullable().describe('With validate_only; null for a merge that is made.'),
})

export const mergeBranch = endpoint({
  method: 'POST',
  path: '/v1/branches/{id}/merge',
  summary: 'Merge a branch into the main tree in one transaction.',
  input: {
    id: Id,
    preview_token: z.string().max(200).optional(),
    resolutions: z
      .array(
        z.object({
          conflict_id: Id,
          resolution: accept(Resolution),
          value: z.unknown().optional().describe('With RESOLUTION_USE_VALUE.'),
        }),
      )
      .max(1000)
      .optional(),
    link_proposal_policy: accept(LinkProposalPolicy).optional().describe('Default LINK_PROPOSAL_POLICY_APPROVED.'),
    approve_requirements: z.boolean().optional().describe('Set merged drafts and proposals to approved.'),
    note: z.string().max(1000).optional(),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { branch: Branch, merge: Merge },
  fails: ['invalid_argument', 'not_found', 'aborted', 'failed_precondition'],
  reasons: ['PREVIEW_STALE', 'MERGE_CONFLICTS', 'BRANCH_NOT_OPEN', 'NOTHING_TO_MERGE'],
})
