import type { Generated } from 'kysely'

/** Rows of what the processes on one database have in common (`0026-shared-by-processes.sql`). */
export interface ProcessSchema {
  used_key: { key: string; expires_at: number }
  mcp_session: McpSessionRow
  mcp_subscription: { session_id: string; uri: string; digest: string }
  mcp_message: McpMessageRow
}

interface McpSessionRow {
  seq: Generated<number>
  id: string
  owner: string
  token_hash: string
  initialize: string
  used_at: number
}

interface McpMessageRow {
  seq: Generated<number>
  session_id: string
  recipient: string
  body: string
  sent_at: number
}
