import type { Writing } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { endExclusions, recordExclusion, repeatExclusion } from '../../workspace/exclusions.ts'
import type { StoredIssue } from './columns.ts'
import type { StatusChange } from './status.ts'

/** Kinds of exclusions that a status of an issue makes. */
export const ISSUE_KINDS = ['issue_ignored', 'issue_resolved'] as const

/** Records which exclusions a status that a member gave makes and ends (contract §7.2); `isChange`: it had another one. */
export async function noteStatus(
  rows: Rows,
  call: Writing,
  { id, product_id }: StoredIssue,
  { status, note }: StatusChange,
  { isChange }: { isChange: boolean },
): Promise<void> {
  const item = { productId: product_id, itemType: 'issue' as const, itemId: id }
  if (isChange) await endExclusions(rows, call, { ...item, kinds: ISSUE_KINDS })
  if (status === 'unresolved') return
  const exclusion = { ...item, kind: status === 'ignored' ? ('issue_ignored' as const) : ('issue_resolved' as const) }
  if (isChange) await recordExclusion(rows, call, { ...exclusion, reason: note })
  else await repeatExclusion(rows, call, exclusion)
}
