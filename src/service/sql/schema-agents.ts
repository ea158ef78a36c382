import type { Generated } from 'kysely'

/** Rows of agents (`0018-agents.sql`). The conventions are those of schema.ts. */
export interface AgentSchema {
  agent_config: AgentConfigRow
  agent_run: AgentRunRow
  agent_run_event: AgentRunEventRow
}

export interface AgentConfigRow {
  seq: Generated<number>
  id: string
  product_id: number
  agent_type_id: string
  name: string
  enabled: Generated<number>
  input: Generated<string>
  allow_concurrent: Generated<number>
  timeout_seconds: number
  created_by: string
  created_at: number
}

export interface AgentRunRow {
  seq: Generated<number>
  id: string
  product_id: number
  agent_config_id: string
  agent_type_id: string
  state: Generated<string>
  revision: Generated<number>
  run_trigger: Generated<string>
  input: string
  timeout_seconds: number
  output: string | null
  summary: Generated<string>
  branch_id: Generated<string>
  truncation_signals: Generated<string>
  progress_phase: Generated<string>
  progress_done: Generated<number>
  progress_total: Generated<number>
  error_code: Generated<string>
  error_message: Generated<string>
  started_by: string
  principal: string
  created_at: number
  started_at: number | null
  finished_at: number | null
  cancel_requested_at: number | null
  last_sequence: Generated<number>
  lease_fence: Generated<number>
  lease_until: Generated<number>
}

export interface AgentRunEventRow {
  run_id: string
  sequence: number
  id: string
  type: string
  level: string
  message: string
  data: Generated<string>
  created_at: number
}
