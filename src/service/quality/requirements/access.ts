import { requireAccess } from '../../workspace/access.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import type { Selectable } from 'kysely'
import { notFound } from '../../../errors.ts'
import type { Principal } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import type { RequirementRow } from '../../sql/schema-quality.ts'

export type StoredRequirement = Selectable<RequirementRow>

/**
 * A requirement and its product; `not_found` also when it was deleted or the principal is not a member of its
 * workspace.
 */
export async function requireRequirement(
  rows: Rows,
  principal: Principal,
  id: string,
): Promise<{ requirement: StoredRequirement; product: StoredProduct }> {
  const { row: requirement, product } = await requireAccess(rows, principal, { table: 'requirement', id }, () =>
    notFound('requirement', id, 'list the requirements of the product; there a key such as REQ-12 is found with key'),
  )
  return { requirement, product }
}
