import type { Generated } from 'kysely'

/** Rows of the quality gate. The conventions are those of schema.ts. */
export interface GateSchema {
  risk: RiskRow
  verdict: VerdictRow
}

export interface RiskRow {
  id: string
  product_id: number
  state: string
  condition_ids: string
  requirement_ids: string
  issue_ids: string
  test_ids: string
  covered_evidence: string
  release_id: Generated<string>
  environment_id: Generated<string>
  release_line: Generated<string>
  reason: string
  mitigation: Generated<string>
  ticket_url: Generated<string>
  severity: string
  accepted_by: string
  accepted_way: string
  accepted_at: number
  approved_by: string | null
  decided_by: string | null
  decided_way: string | null
  decided_at: number | null
  decision_note: Generated<string>
  expires_at: number
  renews_risk_id: Generated<string>
  verdict_id: string
  version: Generated<number>
}

export interface VerdictRow {
  seq: Generated<number>
  id: string
  product_id: number
  release_id: string
  environment_id: string
  commit_sha: string
  git_branch: string
  status: string
  inputs_digest: string
  body: string
  evidence: string
  computed_at: number
}
