import { notFound } from '../../errors.ts'
import type { Principal } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'

/** The product's row; `not_found` also when the principal is no member of its workspace (contract §0.4). */
export async function productOf(rows: Rows, principal: Principal, productId: string) {
  const row = await rows.selectFrom('product').selectAll().where('id', '=', Number(productId)).executeTakeFirst()
  if (row === undefined || !principal.workspaceIds.includes(row.workspace_id)) {
    throw notFound('product', productId, 'list the products of the workspace')
  }
  return row
}

/** The environment's row, with the same rule; a deleted one is not found. */
export async function environmentOf(rows: Rows, principal: Principal, id: string) {
  const row = await rows
    .selectFrom('environment')
    .innerJoin('product', 'product.id', 'environment.product_id')
    .selectAll('environment')
    .select('product.workspace_id')
    .where('environment.id', '=', id)
    .where('environment.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined || !principal.workspaceIds.includes(row.workspace_id)) {
    throw notFound('environment', id, 'list the environments of the product')
  }
  return row
}
