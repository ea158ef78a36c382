import type { Writing } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import type { StoredIssue } from './columns.ts'
import { noteStatus } from './exclusions.ts'
import { changeStatus, releaseContexts, type StatusChange } from './status.ts'

/** Those of the ids that are issues of the product, in the order of the ids. */
export async function findIssues(rows: Rows, productId: number, ids: readonly string[]): Promise<StoredIssue[]> {
  const found = await rows
    .selectFrom('issue')
    .selectAll()
    .where('product_id', '=', productId)
    .where('id', 'in', ids)
    .execute()
  const byId = new Map(found.map((issue) => [issue.id, issue]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/**
 * Gives issues of one product a status inside the caller's transaction, with history and audit; returns how many had
 * another one before, or another `fixed_in` or `ignore_until`.
 */
export async function changeStatuses(
  rows: Rows,
  call: Writing,
  productId: number,
  issues: readonly StoredIssue[],
  change: StatusChange,
): Promise<number> {
  const compares = change.status === 'resolved' || change.ignore?.kind === 'release'
  const none = new Map<string, Record<string, string>>()
  const contexts = compares && issues.length > 0 ? await releaseContexts(rows, productId, issues) : none
  const vouched = compares && issues.length > 0 ? await vouchedContexts(rows, productId, issues) : none
  let changed = 0
  for (const issue of issues) {
    const context = contexts.get(issue.id) ?? {}
    const vouchedContext = vouched.get(issue.id) ?? context
    const isChange = await changeStatus(rows, call, issue, { ...change, context, vouchedContext })
    await noteStatus(rows, call, issue, change, { isChange: isChange || change.status === 'unresolved' })
    if (isChange) changed += 1
  }
  return changed
}

/** The contexts of those issues that events with a server key vouch for, without what other events say. */
async function vouchedContexts(rows: Rows, productId: number, issues: readonly StoredIssue[]) {
  const vouched = await rows
    .selectFrom('vouched_issue')
    .select(['issue_id as id', 'last_release_id'])
    .where('vouched_by', '=', 'server_key')
    .where(
      'issue_id',
      'in',
      issues.map(({ id }) => id),
    )
    .execute()
  if (vouched.length === 0) return new Map<string, Record<string, string>>()
  return releaseContexts(rows, productId, vouched, 'vouched')
}
