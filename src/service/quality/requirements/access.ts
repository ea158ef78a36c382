import type { Selectable } from 'kysely'
import { notFound } from '../../../errors.ts'
import type { Principal } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import type { ProductRow } from '../../sql/schema.ts'
import type { RequirementRow } from '../../sql/schema-quality.ts'

export type StoredRequirement = Selectable<RequirementRow>
export type StoredProduct = Selectable<ProductRow>

/** A requirement and its product; `not_found` also when it was deleted or the principal is no member of its workspace. */
export async function requirementOf(
  rows: Rows,
  principal: Principal,
  id: string,
): Promise<{ requirement: StoredRequirement; product: StoredProduct }> {
  const requirement = await rows
    .selectFrom('requirement')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  const product = await rows
    .selectFrom('product')
    .selectAll()
    .where('id', '=', requirement?.product_id ?? 0)
    .executeTakeFirst()
  if (requirement === undefined || product === undefined || !principal.workspaceIds.includes(product.workspace_id)) {
    throw notFound(
      'requirement',
      id,
      'list the requirements of the product; there a key such as REQ-12 is found with key',
    )
  }
  return { requirement, product }
}

/** The human key (contract §0.7). */
export function requirementKey({ number }: { number: number }): string {
  return `REQ-${String(number)}`
}
