import type { Selectable } from 'kysely'
import { notFound } from '../../../errors.ts'
import type { Principal } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import type { IssueRow } from '../../sql/schema.ts'
import { requireAccess } from '../../workspace/access.ts'
import type { StoredProduct } from '../../workspace/products.ts'

/** The issue and its product; `not_found` also when the principal is not a member of its workspace (contract §0.4). */
export async function requireIssue(
  rows: Rows,
  principal: Principal,
  id: string,
): Promise<{ issue: Selectable<IssueRow>; product: StoredProduct }> {
  const { row: issue, product } = await requireAccess(rows, principal, { table: 'issue', id }, () =>
    notFound('issue', id, 'list the issues of the product; there a short id such as SHOP-31 is found with short_id'),
  )
  return { issue, product }
}
