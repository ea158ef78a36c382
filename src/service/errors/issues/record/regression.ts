import type { Platform } from '../../../shared/context.ts'
import type { Prepare } from '../../../sql/database.ts'
import { ResolvedIn } from '../columns.ts'
import { systemActor } from '../../../workspace/actor.ts'
import type { EventPlace } from './event-place.ts'
import type { ReleaseOrders } from './release-orders.ts'
import { readJson } from '../../../sql/json.ts'

export interface RegressionTools {
  prepare: Prepare
  platform: Platform
  orders: ReleaseOrders
}

export interface Resolvable {
  id: string
  status: string
  resolved_in: string | null
}

/**
 * Handles a new occurrence of a resolved issue (contract §10.3): it reopens the issue, with a history row by the
 * system, unless its release is older than the newest one that its environment had when the issue was resolved. If
 * `reopens` is false, the issue keeps its status and is only marked. An ignored issue stays ignored.
 */
export function regress(
  { prepare, platform, orders }: RegressionTools,
  { issue, place, reopens }: { issue: Resolvable; place: EventPlace; reopens: boolean },
): void {
  if (issue.status !== 'resolved' || isOlder(orders, issue, place)) return
  const now = platform.now()
  if (place.releaseId !== '') {
    prepare('INSERT INTO issue_regression (release_id, issue_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING').run(
      place.releaseId,
      issue.id,
      now,
    )
  }
  if (!reopens) {
    prepare('UPDATE issue SET is_regression = 1 WHERE id = ?').run(issue.id)
    return
  }
  const actor = JSON.stringify(systemActor)
  prepare(
    `UPDATE issue SET status = 'unresolved', is_regression = 1, reopened_count = reopened_count + 1, resolved_in = NULL,
       status_changed_by = ?, status_changed_at = ?, status_note = '', version = version + 1 WHERE id = ?`,
  ).run(actor, now, issue.id)
  prepare(
    `INSERT INTO issue_history (id, issue_id, from_status, to_status, actor, at, reason)
     VALUES (?, ?, 'resolved', 'unresolved', ?, ?, 'regression')`,
  ).run(platform.newId(), issue.id, actor, now)
}

/**
 * Whether the occurrence comes from a release before the newest one that its environment had when the issue was
 * resolved.
 */
function isOlder(orders: ReleaseOrders, issue: Resolvable, place: EventPlace): boolean {
  if (place.releaseId === '' || issue.resolved_in === null) return false
  const newestId = readJson(ResolvedIn, issue.resolved_in)[place.environmentId]
  if (newestId === undefined || newestId === place.releaseId) return false
  return orders.isOlder(place.environmentId, place.releaseId, newestId)
}
