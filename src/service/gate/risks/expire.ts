import type { Platform } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { systemActor } from '../../workspace/actor.ts'
import { audit } from '../../workspace/audit.ts'

/**
 * Stores that risks of a product have expired, with an audit row by the system. Nothing depends on it having run: what
 * counts is decided by `riskCounts`.
 */
export async function expireRisks(rows: Rows, platform: Platform, productId: number): Promise<void> {
  const now = platform.now()
  const due = await rows
    .selectFrom('risk')
    .selectAll()
    .where('product_id', '=', productId)
    .where('state', 'in', ['RISK_STATE_PENDING_APPROVAL', 'RISK_STATE_APPROVED'])
    .where('expires_at', '<=', now)
    .execute()
  for (const before of due) {
    const after = await rows
      .updateTable('risk')
      .set({ state: 'RISK_STATE_EXPIRED', version: before.version + 1 })
      .where('id', '=', before.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const call = { now: () => now, newId: () => platform.newId(), actor: systemActor, via: '' as const, byAgent: false }
    await audit(rows, call, { verb: 'expire', resourceType: 'risk', resourceId: before.id, before, after })
  }
}
