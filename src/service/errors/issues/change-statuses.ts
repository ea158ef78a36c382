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
  const contexts =
    compares && issues.length > 0
      ? await releaseContexts(rows, productId, issues)
      : new Map<string, Record<string, string>>()
  let changed = 0
  for (const issue of issues) {
    const isChange = await changeStatus(rows, call, issue, { ...change, context: contexts.get(issue.id) ?? {} })
    await noteStatus(rows, call, issue, change, { isChange })
    if (isChange) changed += 1
  }
  return changed
}
