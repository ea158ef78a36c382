import type { Generated } from 'kysely'
import type { AccountSchema } from './schema-account.ts'
import type { AgentSchema } from './schema-agents.ts'
import type { BranchSchema } from './schema-branches.ts'
import type { GateSchema } from './schema-gate.ts'
import type { ProcessSchema } from './schema-processes.ts'
import type { QualitySchema } from './schema-quality.ts'
import type { SourceMapSchema } from './schema-sourcemaps.ts'

/** Rows of `migrations/<dialect>/*.sql`. Times are epoch milliseconds, flags 0 or 1, JSON columns text. */
export interface Schema
  extends AccountSchema, AgentSchema, BranchSchema, GateSchema, ProcessSchema, QualitySchema, SourceMapSchema {
  product: ProductRow
  dsn_key: DsnKeyRow
  component: ComponentRow
  environment: EnvironmentRow
  release: ReleaseRow
  issue: IssueRow
  issue_hash: IssueHashRow
  body_dictionary: { id: number; product_id: number; made_at: number; packed: Uint8Array }
  /** The issues whose bodies may need a dictionary. */
  body_dictionary_issue: { dictionary_id: number; issue_id: string }
  occurrence: OccurrenceRow
  /** An environment with one of its releases; '' when no row has the name. */
  place: { id: Generated<number>; environment_id: string; release_id: string }
  issue_presence: IssuePresenceRow
  issue_environment: IssueEnvironmentRow
  vouched_issue: VouchedIssueRow
  vouched_environment: VouchedEnvironmentRow
  issue_user: { issue_id: string; user_hash: string; environment_id: string; last_seen: number }
  issue_regression: { release_id: string; issue_id: string; at: number }
  occurrence_rollup: OccurrenceRollupRow
  /** Events of an environment by ten minutes, or of a component by hour. */
  activity: { subject_id: string; bucket: number; count: number }
  issue_history: IssueHistoryRow
  dropped_by_sdk: { product_id: number; reason: string; category: string; quantity: number }
  issue_frame: IssueFrameRow
}

export interface ProductRow {
  id: Generated<number>
  workspace_id: string
  slug: string
  name: string
  description: Generated<string>
  key_prefix: string
  repository: string
  gate_policy: string
  settings: string
  setup_state: Generated<string>
  next_issue_number: Generated<number>
  next_requirement_number: Generated<number>
  next_test_number: Generated<number>
  /** Grows with every committed change of requirements, tests and links. */
  tree_revision: Generated<number>
  version: Generated<number>
  created_at: number
  updated_at: number
}

export interface DsnKeyRow {
  public_key: string
  product_id: number
  rate_per_second: number | null
  burst: number | null
  created_at: number
  revoked_at: number | null
  /** `public` or `server`. */
  kind: Generated<string>
  name: Generated<string>
}

export interface ComponentRow {
  id: string
  product_id: number
  parent_id: Generated<string>
  name: string
  slug: string
  description: Generated<string>
  path_globs: string
  exclude_globs: Generated<string>
  owners: Generated<string>
  criticality: Generated<string>
  position: Generated<number>
  tags: Generated<string>
  version: Generated<number>
  created_at: number
  updated_at: number
}

export interface EnvironmentRow {
  id: string
  product_id: number
  name: string
  name_key: string
  kind: string
  exposure_weight: number
  description: Generated<string>
  origin: string
  last_event_at: number | null
  version: Generated<number>
  created_at: number
  updated_at: number
  deleted_at: number | null
}

export interface ReleaseRow {
  id: string
  product_id: number
  environment_id: string
  version: string
  commit_sha: Generated<string>
  git_branch: Generated<string>
  url: Generated<string>
  notes: Generated<string>
  released_at: number | null
  origin: string
  event_count: Generated<number>
  first_event_at: number | null
  last_event_at: number | null
  etag_version: Generated<number>
  created_at: number
  updated_at: number
  vouched_at: number | null
}

export interface IssueRow {
  id: string
  product_id: number
  number: number
  title: string
  type: string
  value: string
  culprit: string
  level: string
  platform: string
  status: Generated<string>
  is_regression: Generated<number>
  status_changed_by: string | null
  status_changed_at: number | null
  status_note: Generated<string>
  resolved_in: string | null
  fixed_in: string | null
  ignore_until: string | null
  held_count: Generated<number>
  held_last_at: number | null
  first_seen: number
  last_seen: number
  times_seen: number
  users_affected: Generated<number>
  first_release_id: Generated<string>
  last_release_id: Generated<string>
  component_id: Generated<string>
  handled: number
  corroboration: string
  grouping: string
  causes: string | null
  reopened_count: Generated<number>
  first_seq: number
  last_seq: number
  version: Generated<number>
  created_at: number
  /** 0 or 1, null for an issue that is older than the column. */
  suspicious: Generated<number | null>
  contradicted: Generated<number | null>
  /** Numbers in its product what changed the issue and was no event that counted (decision 089). */
  facts_revision: Generated<number>
}

interface IssueHashRow {
  product_id: number
  hash: string
  issue_id: string
  vouched: Generated<number>
  dictionary_id: Generated<number | null>
}

export interface OccurrenceRow {
  seq: Generated<number>
  id: string
  product_id: number
  issue_id: string
  sdk_event_id: string
  timestamp: number
  received_at: number
  place_id: number
  user_hash: Generated<string>
  summary: string
  body: Uint8Array | null
  dictionary_id: Generated<number | null>
  size_bytes: number
  before_first_seen: number | null
  before_last_seen: number | null
  before_times_seen: number
  vouched: Generated<number>
}

interface IssuePresenceRow {
  issue_id: string
  environment_id: string
  release_id: Generated<string>
  /** Occurrences that were recorded. */
  count: number
  first_seen: number
  last_seen: number
  /** Those of them that retention has removed; a trigger counts them. */
  removed: Generated<number>
}

interface IssueEnvironmentRow {
  issue_id: string
  environment_id: string
  count: number
  first_seen: number
  last_seen: number
  first_release_id: Generated<string>
}

export interface VouchedIssueRow {
  issue_id: string
  product_id: number
  vouched_by: Generated<string>
  started_at: number | null
  title: string
  type: string
  level: string
  last_seen: number
  last_release_id: Generated<string>
  times_seen: Generated<number>
  status: string
  status_changed_at: number | null
  resolved_in: string | null
  fixed_in: string | null
  ignore_until: string | null
  held_count: Generated<number>
  held_last_at: number | null
  regressed_at: number | null
}

interface VouchedEnvironmentRow {
  issue_id: string
  environment_id: string
  first_seen: number
  last_seen: number
  first_release_id: Generated<string>
  regressed_at: number | null
  regressed_release_id: Generated<string>
}

interface OccurrenceRollupRow {
  issue_id: string
  resolution: number
  bucket: number
  place_id: number
  count: number
}

interface IssueHistoryRow {
  id: string
  issue_id: string
  from_status: string
  to_status: string
  actor: string
  at: number
  note: Generated<string>
  reason: string
  fixed_in: string | null
  ignore_until: string | null
}

export interface IssueFrameRow {
  product_id: number
  path: string
  function: string
  issue_id: string
  distance: number
}
