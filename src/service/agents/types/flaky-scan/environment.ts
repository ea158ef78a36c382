import { notFound } from '../../../../errors.ts'
import type { Rows } from '../../../sql/database.ts'
import { nameKey } from '../../../workspace/releases/rules.ts'

/** The id of the product's environment with that id or name; undefined when none is asked for. */
export async function findEnvironment(
  rows: Rows,
  productId: number,
  named: string | undefined,
): Promise<string | undefined> {
  if (named === undefined) return undefined
  const found = await rows
    .selectFrom('environment')
    .select('id')
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('id', '=', named), where('name_key', '=', nameKey(named))]))
    .executeTakeFirst()
  if (found === undefined) throw notFound('environment', named, 'list the environments of the product')
  return found.id
}
