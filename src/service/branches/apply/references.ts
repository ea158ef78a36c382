import { chunks } from '../../sql/chunks.ts'
import type { Applying } from './types.ts'

/** Those of the ids that the product has and that are not deleted; a resolution of a conflict may name any id. */
export async function liveIds(
  { rows, product }: Applying,
  table: 'requirement' | 'test' | 'component',
  ids: readonly string[],
): Promise<Set<string>> {
  const live = new Set<string>()
  for (const chunk of chunks([...new Set(ids)])) {
    const own = rows.selectFrom(table).select('id').where('id', 'in', chunk).where('product_id', '=', product.id)
    const found = await (table === 'component' ? own : own.where('deleted_at', 'is', null)).execute()
    for (const { id } of found) live.add(id)
  }
  return live
}
