import { sql } from 'kysely'
import type { Writing } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import { audit, type AuditEntry } from '../workspace/audit.ts'

/** Records a member's change of a requirement, a test or a link in the audit trail and in the revision of the tree. */
export async function recordTreeChange(rows: Rows, call: Writing, productId: number, entry: AuditEntry): Promise<void> {
  await audit(rows, call, entry)
  await nextTreeRevision(rows, productId)
}

/**
 * Counts a change of the tree of requirements, tests and links (contract §5); returns the new revision. Call it in the
 * transaction of the change.
 */
export async function nextTreeRevision(rows: Rows, productId: number): Promise<number> {
  const { tree_revision } = await rows
    .updateTable('product')
    .set({ tree_revision: sql<number>`tree_revision + 1` })
    .where('id', '=', productId)
    .returning('tree_revision')
    .executeTakeFirstOrThrow()
  return tree_revision
}
