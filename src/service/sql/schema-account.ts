import type { Generated } from 'kysely'

/** Workspaces, people, their tokens, and the trail of what they did. */
export interface AccountSchema {
  workspace: WorkspaceRow
  user: UserRow
  workspace_member: { workspace_id: string; user_id: string; role: string }
  token: TokenRow
  audit: AuditRow
  idempotency: IdempotencyRow
}

interface WorkspaceRow {
  id: string
  slug: string
  name: string
  created_at: number
  updated_at: number
}

interface UserRow {
  id: string
  email: string
  display_name: string
  completed_steps: Generated<string>
  onboarding_dismissed: Generated<number>
  onboarding_updated_at: number | null
  created_at: number
}

interface TokenRow {
  id: string
  user_id: string
  name: string
  hash: string
  scopes: string
  /** `person`, `agent` or `ci`. */
  kind: Generated<string>
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
}

interface AuditRow {
  id: string
  actor: string
  at: number
  verb: string
  resource_type: string
  resource_id: string
  /** `mcp` when a tool of an MCP server made the change, else empty. */
  via: Generated<string>
  before_hash: Generated<string>
  after_hash: Generated<string>
}

interface IdempotencyRow {
  token_id: string
  key: string
  request_hash: string
  status: number
  response: string
  at: number
}
