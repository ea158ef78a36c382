import { hash } from 'node:crypto'
import type { Writing } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'

type RiskVerb = 'accept' | 'approve' | 'reject' | 'revoke' | 'expire'

export interface AuditEntry {
  verb: 'create' | 'update' | 'delete' | 'verify' | 'set_status' | 'vouch' | 'ingest' | 'review' | 'merge' | RiskVerb
  resourceType: string
  resourceId: string
  before?: unknown
  after?: unknown
}

/** Records who did what, inside the transaction of the change itself (contract §0.8). */
export async function audit(rows: Rows, call: Writing, entry: AuditEntry): Promise<void> {
  await rows
    .insertInto('audit')
    .values({
      id: call.newId(),
      actor: JSON.stringify(call.actor),
      via: call.via,
      at: call.now(),
      verb: entry.verb,
      resource_type: entry.resourceType,
      resource_id: entry.resourceId,
      before_hash: hashValue(entry.before),
      after_hash: hashValue(entry.after),
    })
    .execute()
}

function hashValue(value: unknown): string {
  if (value === undefined) return ''
  return hash('sha256', JSON.stringify(value), 'hex')
}
