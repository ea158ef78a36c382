import { endExclusions } from '../../workspace/exclusions.ts'
import type { Writing } from '../../shared/context.ts'
import type { Applying } from '../apply/types.ts'
import type { MergedChange } from '../merge/index.ts'

/** Takes back the deletion of a requirement with its links, or of a test. The change that follows indexes it again. */
export async function restore(
  { rows, product }: Applying,
  call: Writing,
  { change, targetId }: MergedChange,
): Promise<void> {
  const { entityType } = change
  await rows.updateTable(entityType).set({ deleted_at: null }).where('id', '=', targetId).execute()
  if (entityType === 'requirement') {
    await rows.updateTable('test_link').set({ archived_at: null }).where('requirement_id', '=', targetId).execute()
  }
  const kind = entityType === 'requirement' ? ('requirement_deleted' as const) : ('test_deleted' as const)
  await endExclusions(rows, call, { productId: product.id, itemType: entityType, itemId: targetId, kinds: [kind] })
}
