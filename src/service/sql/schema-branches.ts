import type { Generated } from 'kysely'

/** Rows of branches, their changes and link proposals (`0017-branches.sql`). The conventions are those of schema.ts. */
export interface BranchSchema {
  branch: BranchRow
  branch_change: BranchChangeRow
  link_proposal: LinkProposalRow
}

export interface BranchRow {
  seq: Generated<number>
  id: string
  product_id: number
  name: string
  description: Generated<string>
  state: Generated<string>
  git_ref: Generated<string>
  source_kind: Generated<string>
  agent_run_id: Generated<string>
  base_revision: number
  merged_revision: Generated<number>
  head_revision: Generated<number>
  next_requirement_number: Generated<number>
  next_test_number: Generated<number>
  created_by: string
  created_at: number
  updated_at: number
  merged_by: string | null
  merged_at: number | null
}

export interface BranchChangeRow {
  seq: Generated<number>
  id: string
  branch_id: string
  product_id: number
  entity_type: string
  entity_id: string
  operation: string
  provisional_number: Generated<number>
  base: Generated<string>
  fields: Generated<string>
  needs_decision: Generated<number>
  note: Generated<string>
  revision: number
  created_by: string
  created_at: number
  updated_by: string
  updated_at: number
}

export interface LinkProposalRow {
  id: string
  branch_id: string
  product_id: number
  test_id: string
  requirement_id: string
  action: string
  role: string
  criterion_ids: Generated<string>
  state: Generated<string>
  confidence: Generated<number>
  rationale: Generated<string>
  signals: Generated<string>
  origin: string
  created_by: string
  created_at: number
  reviewed_by: string | null
  reviewed_at: number | null
  review_note: Generated<string>
  /** JSON of the link in the main tree when it was proposed (migration 0032); null: not known. */
  base: Generated<string | null>
}
