import { requireAccess } from '../../workspace/access.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import type { Selectable } from 'kysely'
import { notFound } from '../../../errors.ts'
import type { Principal } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import type { TestRow } from '../../sql/schema-quality.ts'

export type StoredTest = Selectable<TestRow>

/** A test and its product; `not_found` also when it was deleted or the principal is not a member of its workspace. */
export async function requireTest(
  rows: Rows,
  principal: Principal,
  id: string,
): Promise<{ test: StoredTest; product: StoredProduct }> {
  const { row: test, product } = await requireAccess(rows, principal, { table: 'test', id }, () =>
    notFound('test', id, 'list the tests of the product; there a key such as TC-7 is found with key'),
  )
  return { test, product }
}
