import type { InputOf } from '../../../contract/index.ts'
import { notFound } from '../../../errors.ts'
import type { Rows } from '../../sql/database.ts'
import { requireComponents } from '../../workspace/access.ts'
import type { StoredRequirement } from './access.ts'
import { invalid } from './content.ts'

/** The parent that a request names; undefined for the root. Throws `not_found`. */
export async function findParent(
  rows: Rows,
  productId: number,
  id: string | undefined,
): Promise<StoredRequirement | undefined> {
  if (id === undefined || id === '') return undefined
  const parent = await rows
    .selectFrom('requirement')
    .selectAll()
    .where('id', '=', id)
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (parent === undefined) throw notFound('requirement', id, 'parent_id must be a requirement of the same product')
  return parent
}

/** Checks that the components and requirements that a request names exist in the same product. */
export async function checkReferences(
  rows: Rows,
  productId: number,
  fields: Pick<InputOf<'createRequirement'>, 'component_ids' | 'depends_on_ids' | 'superseded_by_id'>,
  self = '',
): Promise<void> {
  await requireComponents(rows, productId, fields.component_ids)
  await checkOthers(rows, productId, 'depends_on_ids', fields.depends_on_ids ?? [], self)
  const replacement = fields.superseded_by_id ?? ''
  await checkOthers(rows, productId, 'superseded_by_id', replacement === '' ? [] : [replacement], self)
}

async function checkOthers(rows: Rows, productId: number, field: string, ids: readonly string[], self: string) {
  const others = [...new Set(ids)]
  if (others.includes(self) && self !== '') {
    throw invalid([{ field, description: 'must not name the requirement itself' }])
  }
  if (others.length === 0) return
  const found = await rows
    .selectFrom('requirement')
    .select('id')
    .where('product_id', '=', productId)
    .where('id', 'in', others)
    .where('deleted_at', 'is', null)
    .execute()
  const missing = others.find((id) => !found.some((row) => row.id === id))
  if (missing !== undefined) throw notFound('requirement', missing, `${field} takes requirements of the same product`)
}
