import type * as z from 'zod'
import type { Actor, IssueStatus } from '../../contract/common.ts'
import { audit } from '../audit.ts'
import type { Call } from '../context.ts'
import { orderReleases } from '../directory/release-order.ts'
import type { Rows } from '../sql/database.ts'
import type { StoredIssue } from './issue-view.ts'

export interface StatusChange {
  status: z.output<typeof IssueStatus>
  note: string
  reason: 'manual' | 'bulk'
}

/** What the issues of one product are resolved in: per environment its newest release now, as JSON. */
export async function releaseContext(rows: Rows, productId: number): Promise<string> {
  const releases = await rows
    .selectFrom('release')
    .innerJoin('environment', 'environment.id', 'release.environment_id')
    .select(['release.id', 'release.version', 'release.released_at', 'release.created_at', 'release.environment_id'])
    .where('release.product_id', '=', productId)
    .where('environment.deleted_at', 'is', null)
    .execute()
  const newest: Record<string, string> = {}
  for (const [environmentId, among] of Map.groupBy(releases, (release) => release.environment_id)) {
    const release = orderReleases(among).at(-1)
    if (release !== undefined) newest[environmentId] = release.id
  }
  return JSON.stringify(newest)
}

/**
 * Gives the issue a status inside the caller's transaction, with actor, history and audit (CONTRACT §10); false when it
 * has that status already and nothing is written. Resolving notes `context`, the releases known now, which decide later
 * what a regression is, and settles an earlier regression.
 */
export async function changeStatus(
  rows: Rows,
  call: Pick<Call, 'actor' | 'now' | 'newId'>,
  issue: StoredIssue,
  { status, note, reason, context }: StatusChange & { context: string },
): Promise<boolean> {
  if (issue.status === status) return false
  const at = call.now()
  const actor = JSON.stringify(call.actor satisfies z.input<typeof Actor>)
  await rows
    .updateTable('issue')
    .set({
      status,
      status_changed_by: actor,
      status_changed_at: at,
      status_note: note,
      resolved_in: status === 'resolved' ? context : null,
      is_regression: status === 'resolved' ? 0 : issue.is_regression,
      version: issue.version + 1,
    })
    .where('id', '=', issue.id)
    .execute()
  const change = { issue_id: issue.id, from_status: issue.status, to_status: status, actor, at, note, reason }
  await rows
    .insertInto('issue_history')
    .values({ id: call.newId(), ...change })
    .execute()
  await audit(rows, call, {
    verb: 'set_status',
    resourceType: 'issue',
    resourceId: issue.id,
    before: { status: issue.status, note: issue.status_note },
    after: { status, note },
  })
  return true
}
