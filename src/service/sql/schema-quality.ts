import type { Generated } from 'kysely'

/**
 * Rows of requirements, tests, links, runs and coverage (`0003-requirements-and-tests.sql`). The conventions are those
 * of schema.ts.
 */
export interface QualitySchema {
  requirement: RequirementRow
  requirement_version: RequirementVersionRow
  requirement_path: RequirementPathRow
  requirement_component: RequirementComponentRow
  test: TestRow
  test_former_identity: TestFormerIdentityRow
  test_link: TestLinkRow
  test_run: TestRunRow
  test_result: TestResultRow
  requirement_coverage: RequirementCoverageRow
  repository_path: RepositoryPathRow
  exclusion: ExclusionRow
}

export interface RequirementRow {
  seq: Generated<number>
  id: string
  product_id: number
  number: number
  parent_id: Generated<string>
  position: number
  tree_path: string
  kind: string
  status: string
  title: string
  statement: Generated<string>
  rationale: Generated<string>
  normative: Generated<number>
  acceptance_criteria: Generated<string>
  priority: string
  risk: string
  tags: Generated<string>
  labels: Generated<string>
  component_ids: Generated<string>
  code_refs: Generated<string>
  depends_on_ids: Generated<string>
  superseded_by_id: Generated<string>
  /** The branch that is being replayed, on rows that it creates or changes; stored rows have none. */
  branch_id: Generated<string>
  external_refs: Generated<string>
  source: string
  version: Generated<number>
  content_hash: string
  etag_version: Generated<number>
  created_by: string
  updated_by: string
  created_at: number
  updated_at: number
  deleted_at: number | null
}

export interface RequirementVersionRow {
  requirement_id: string
  version: number
  title: string
  statement: string
  acceptance_criteria: string
  actor: string
  at: number
}

export interface RequirementPathRow {
  product_id: number
  prefix: string
  requirement_id: string
  glob: string
  is_literal: number
}

export interface RequirementComponentRow {
  product_id: number
  component_id: string
  requirement_id: string
}

export interface TestRow {
  seq: Generated<number>
  id: string
  product_id: number
  number: number
  parent_id: Generated<string>
  position: Generated<number>
  kind: string
  title: string
  names_known: Generated<number>
  description: Generated<string>
  level: string
  status: string
  automation: string
  framework: Generated<string>
  identity: string | null
  file_path: Generated<string>
  suite_path: Generated<string>
  name: Generated<string>
  project: Generated<string>
  line: Generated<number>
  preconditions: Generated<string>
  steps: Generated<string>
  tags: Generated<string>
  labels: Generated<string>
  component_ids: Generated<string>
  quarantined_until: number | null
  quarantine_reason: Generated<string>
  quarantine_owner: Generated<string>
  issue_id: Generated<string>
  issue_reported: Generated<number>
  last_result_id: Generated<string>
  last_status: Generated<string>
  /** As in `RequirementRow`. */
  branch_id: Generated<string>
  etag_version: Generated<number>
  created_by: string
  created_at: number
  updated_at: number
  deleted_at: number | null
}

export interface TestFormerIdentityRow {
  product_id: number
  identity: string
  test_id: string
}

export interface TestLinkRow {
  test_id: string
  requirement_id: string
  product_id: number
  role: string
  criterion_ids: Generated<string>
  state: string
  requirement_version: number
  origin: string
  confidence: Generated<number>
  created_by: string
  created_at: number
  confirmed_at: number | null
  archived_at: number | null
}

export interface TestRunRow {
  id: string
  product_id: number
  run_key: string
  commit_sha: Generated<string>
  git_branch: Generated<string>
  environment_id: Generated<string>
  release_id: Generated<string>
  started_at: number | null
  finished_at: number | null
  ci_url: Generated<string>
  created_at: number
  incomplete: Generated<string>
  sender: Generated<string>
  shard_total: Generated<number>
  shards: Generated<string>
  shards_missing: Generated<number>
}

export interface TestResultRow {
  id: string
  product_id: number
  test_id: string
  run_id: string
  status: string
  attempts: number
  duration_ms: number
  message: Generated<string>
  trace: Generated<string>
  executed_at: number
  environment_id: Generated<string>
  release_id: Generated<string>
  reported: string
}

export interface RequirementCoverageRow {
  requirement_id: string
  product_id: number
  parent_id: string
  number: number
  own: string
  own_state: string
  state: string
  failing: number
  suspect: number
  flaky: number
  counts: number
  is_group: number
  gap_type: Generated<string>
  risk_score: Generated<number>
  component_ids: Generated<string>
  stale_at: number | null
}

export interface RepositoryPathRow {
  product_id: number
  path: string
}

/** `0014-exclusions.sql`; kind and item type are those of the contract's `Exclusion`. */
export interface ExclusionRow {
  id: string
  product_id: number
  kind: string
  item_type: string
  item_id: string
  was: Generated<string>
  actor: string
  by_agent: number
  at: number
  reason: Generated<string>
  reviewed_by: string | null
  reviewed_at: number | null
  review_note: Generated<string>
  ended_at: number | null
  /** Numbers the changes of exclusions in their product; 0: none since this is counted (decision 094). */
  revision: Generated<number>
}
