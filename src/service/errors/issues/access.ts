import type { Selectable } from 'kysely'
import { notFound } from '../../../errors.ts'
import type { Principal } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import type { IssueRow, ProductRow } from '../../sql/schema.ts'

/** The issue and its product; `not_found` also when the principal is no member of its workspace (contract §0.4). */
export async function issueOf(
  rows: Rows,
  principal: Principal,
  id: string,
): Promise<{ issue: Selectable<IssueRow>; product: Selectable<ProductRow> }> {
  const issue = await rows.selectFrom('issue').selectAll().where('id', '=', id).executeTakeFirst()
  const product = await rows
    .selectFrom('product')
    .selectAll()
    .where('id', '=', issue?.product_id ?? 0)
    .executeTakeFirst()
  if (issue === undefined || product === undefined || !principal.workspaceIds.includes(product.workspace_id)) {
    throw notFound(
      'issue',
      id,
      'list the issues of the product; there a short id such as SHOP-31 is found with short_id',
    )
  }
  return { issue, product }
}

/** The product of a release, with the same rule. */
export async function productOfRelease(
  rows: Rows,
  principal: Principal,
  releaseId: string,
): Promise<Selectable<ProductRow>> {
  const product = await rows
    .selectFrom('release')
    .innerJoin('product', 'product.id', 'release.product_id')
    .selectAll('product')
    .where('release.id', '=', releaseId)
    .executeTakeFirst()
  if (product === undefined || !principal.workspaceIds.includes(product.workspace_id)) {
    throw notFound('release', releaseId, 'list the releases of the product')
  }
  return product
}
