import * as z from 'zod'
import {
  accept,
  Actor,
  CodeRef,
  clearable,
  CodeRefSource,
  Coverage,
  CoverageState,
  Etag,
  ExclusionReason,
  Hash,
  Id,
  IdList,
  IdOrEmpty,
  Key,
  LabelMap,
  Labels,
  optional,
  Position,
  prefixed,
  Priority,
  ProductId,
  Ref,
  RequestId,
  RiskLevel,
  Sentence,
  TagList,
  Timestamp,
  TimestampInput,
  Title,
  ValidateOnly,
} from './base/common.ts'
import { endpoint, list, paging } from './base/endpoint.ts'
import { TestLink } from './links.ts'
import { team } from './base/text.ts'

export const RequirementKind = prefixed('REQUIREMENT_KIND', [
  'FUNCTIONAL',
  'NON_FUNCTIONAL',
  'CONSTRAINT',
  'INTERFACE',
  'SECURITY',
  'COMPLIANCE',
  'USER_STORY',
  'GROUP',
])
export const RequirementStatus = prefixed('REQUIREMENT_STATUS', ['DRAFT', 'PROPOSED', 'APPROVED', 'DEPRECATED'])
export const RequirementSource = prefixed('REQUIREMENT_SOURCE', ['MANUAL', 'DISTILL', 'IMPORT', 'AGENT'])
export const RequirementView = prefixed('REQUIREMENT_VIEW', ['BASIC', 'FULL'])
export const CriterionKind = prefixed('CRITERION_KIND', ['RULE', 'GIVEN_WHEN_THEN'])
/** Wording findings of contract §9.4. */
export const LintCode = z.enum([
  'AMBIGUOUS_TERM',
  'PASSIVE_NO_ACTOR',
  'MULTIPLE_SHALL',
  'NO_MEASURE',
  'TBD',
  'PRONOUN_SUBJECT',
  'ESCAPE_CLAUSE',
  'UNIVERSAL',
])

export const AcceptanceCriterion = z.object({
  id: Id,
  position: z.int(),
  kind: CriterionKind,
  text: team(z.string()),
  given: team(z.string()),
  when: team(z.string()),
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  then: team(z.string()),
})

export const Requirement = z.object({
  id: Id,
  key: Key,
  product_id: ProductId,
  branch_id: IdOrEmpty.describe('Empty = the main tree.'),
  parent_id: IdOrEmpty,
  position: z.int(),
  path: z.array(Key).describe('Keys of the ancestors, root first.'),
  kind: RequirementKind,
  status: RequirementStatus,
  title: team(z.string()),
  statement: team(z.string()),
  rationale: team(z.string()),
  normative: z.boolean(),
  acceptance_criteria: z.array(AcceptanceCriterion),
  priority: Priority,
  risk: RiskLevel,
  tags: z.array(team(z.string())),
  labels: Labels,
  component_ids: z.array(Id),
  code_refs: z.array(CodeRef),
  depends_on_ids: z.array(Id),
  superseded_by_id: IdOrEmpty.describe('The requirement that replaces this one, where it was retired for another.'),
  external_refs: z.array(z.object({ system: team(z.string()), key: team(z.string()), url: team(z.string()) })),
  source: z.object({
    kind: RequirementSource,
    uri: team(z.string()),
    line_start: z.int(),
    line_end: z.int(),
    quote: team(z.string()),
    agent_run_id: IdOrEmpty,
  }),
  version: z.int().describe('Semantic revision: incremented when title, statement or criteria change.'),
  content_hash: Hash,
  coverage: Coverage,
  created_by: Actor,
  updated_by: Actor,
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: Etag,
})

const Line = z.int().min(0)

const CriterionInput = z.object({
  id: Id.optional().describe('Id of an existing criterion, to keep its coverage.'),
  kind: accept(CriterionKind).optional().describe('Default CRITERION_KIND_RULE.'),
  text: z.string().max(4000).optional(),
  given: z.string().max(4000).optional(),
  when: z.string().max(4000).optional(),
  // oxlint-disable-next-line unicorn/no-thenable -- as above
  then: z.string().max(4000).optional(),
})

const CodeRefInput = z.object({
  path: z.string().min(1).max(500).describe('Repository-relative file or glob, "/" separators.'),
  symbol: z.string().max(200).optional(),
  start_line: Line.optional(),
  end_line: Line.optional(),
  source: accept(CodeRefSource).optional().describe('Default CODE_REF_SOURCE_DECLARED.'),
  confidence: z.number().min(0).max(1).optional(),
})

const writable = {
  kind: accept(RequirementKind),
  status: accept(RequirementStatus),
  statement: z.string().max(20_000).describe('Markdown.'),
  rationale: z.string().max(20_000),
  normative: z.boolean(),
  acceptance_criteria: z.array(CriterionInput).max(100).describe('In order; replaces the whole list.'),
  priority: accept(Priority),
  risk: accept(RiskLevel),
  tags: TagList,
  labels: LabelMap,
  component_ids: IdList,
  code_refs: z.array(CodeRefInput).max(200),
  depends_on_ids: IdList,
  superseded_by_id: Id,
  external_refs: z
    .array(
      z.object({ system: z.string().min(1).max(60), key: z.string().max(200), url: z.string().max(2000).optional() }),
    )
    .max(50),
  source: z.object({
    kind: accept(RequirementSource).optional(),
    uri: z.string().max(2000).optional(),
    line_start: Line.optional(),
    line_end: Line.optional(),
    quote: z.string().max(4000).optional(),
  }),
  parent_id: Id,
  position: Position,
}

export const LintFinding = z.object({
  code: LintCode,
  message: Sentence,
  span: z.object({ start: z.int(), end: z.int() }),
})

export const createRequirement = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/requirements',
  summary: 'Create a requirement, in the main tree or on a branch; wording findings never block.',
  input: {
    product_id: ProductId,
    title: Title,
    ...optional(writable),
    branch_id: Id.optional(),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { requirement: Requirement, lint: z.array(LintFinding) },
  fails: ['invalid_argument', 'not_found', 'failed_precondition'],
  reasons: ['PARENT_CYCLE', 'DEPTH_EXCEEDED', 'BRANCH_NOT_OPEN'],
})

export const listRequirements = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/requirements',
  summary: 'Requirements of a product, in tree order.',
  input: {
    product_id: ProductId,
    branch_id: Id.optional(),
    parent_id: Id.optional().describe('`root` = the top level.'),
    key: z.array(z.string().min(1)).optional(),
    kind: accept(RequirementKind).optional(),
    status: z.array(accept(RequirementStatus)).optional(),
    priority: z.array(accept(Priority)).optional(),
    tag: z.array(z.string().min(1)).optional(),
    component_id: Id.optional(),
    coverage_state: z.array(accept(CoverageState)).optional(),
    suspect: z.boolean().optional(),
    path: z.string().optional().describe('Requirements whose code_refs match this repository file.'),
    q: z.string().optional().describe('Full text.'),
    updated_since: TimestampInput.optional(),
    view: accept(RequirementView).optional().describe('BASIC omits statement, rationale, criteria and code_refs.'),
    sort: z
      .enum(['position', 'key', 'updated_at', 'priority'])
      .optional()
      .describe('A search with q lists the best match first. Default position.'),
    ...paging,
  },
  returns: { ...list('requirements', Requirement) },
  fails: ['invalid_argument', 'not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})

export const getRequirement = endpoint({
  method: 'GET',
  path: '/v1/requirements/{id}',
  summary: 'One requirement with its children and its links to tests.',
  input: { id: Id, branch_id: Id.optional() },
  returns: { requirement: Requirement, children: z.array(Ref), links: z.array(TestLink) },
  fails: ['not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})

export const updateRequirement = endpoint({
  method: 'PUT',
  path: '/v1/requirements/{id}',
  summary: 'Change a requirement: absent members are kept, null clears, lists replace.',
  input: {
    id: Id,
    title: Title.optional(),
    ...clearable(writable),
    update_mask: z.string().max(500).optional().describe('Comma-separated list: only these members are changed.'),
    branch_id: Id.optional(),
    etag: Etag.optional(),
    minor_change: z.boolean().optional().describe('Keep the version and the links even though the wording changes.'),
    reason: ExclusionReason.optional(),
  },
  returns: { requirement: Requirement, suspect_link_count: z.int() },
  fails: ['invalid_argument', 'not_found', 'aborted', 'failed_precondition'],
  reasons: ['PARENT_CYCLE', 'DEPTH_EXCEEDED', 'BRANCH_NOT_OPEN'],
})

export const deleteRequirement = endpoint({
  method: 'DELETE',
  path: '/v1/requirements/{id}',
  summary: 'Delete a requirement: its key is not reused and its links are archived; on a branch this is a change.',
  input: {
    id: Id,
    branch_id: Id.optional(),
    recursive: z.boolean().optional(),
    etag: Etag.optional(),
    reason: ExclusionReason.optional(),
  },
  fails: ['not_found', 'aborted', 'failed_precondition'],
  reasons: ['HAS_CHILDREN', 'BRANCH_NOT_OPEN'],
})
