import type * as z from 'zod'
import type { NamedRef } from '../../../contract/base/common.ts'
import { isKnownEnvironment } from '../../workspace/releases/rules.ts'
import type { Rows } from '../../sql/database.ts'

const SHOWN = 20

/** The product's environments as references, highest exposure weight first. */
export async function environmentRefs(rows: Rows, productId: number): Promise<z.input<typeof NamedRef>[]> {
  const found = await rows
    .selectFrom('environment')
    .select(['id', 'name', 'origin'])
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .orderBy('exposure_weight', 'desc')
    .orderBy('name')
    .limit(SHOWN)
    .execute()
  return found.map((row) => ({ id: row.id, key: '', title: row.name, known: isKnownEnvironment(row) }))
}
