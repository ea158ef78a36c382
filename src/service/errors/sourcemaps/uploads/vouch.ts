import { audit } from '../../../workspace/audit.ts'
import type { Writing } from '../../../shared/context.ts'
import { isRecordedRelease, unvouchedDetails, type RecordOrigin } from '../../../workspace/releases/rules.ts'
import type { Rows } from '../../../sql/database.ts'
import type { StoredUpload } from './stored.ts'

/**
 * Marks releases of the upload's version as known if only events had named them: an uploaded map vouches for them
 * (contract §6).
 */
export async function vouchForRelease(
  rows: Rows,
  call: Writing,
  { product_id: productId, release: version }: Pick<StoredUpload, 'product_id' | 'release'>,
): Promise<void> {
  if (version === '') return
  const releases = await rows
    .selectFrom('release')
    .selectAll()
    .where('product_id', '=', productId)
    .where('version', '=', version)
    .execute()
  for (const before of releases.filter((release) => !isRecordedRelease(release))) {
    const after = await rows
      .updateTable('release')
      .set({
        ...unvouchedDetails,
        origin: 'ORIGIN_MANUAL' satisfies RecordOrigin,
        etag_version: before.etag_version + 1,
        updated_at: call.now(),
      })
      .where('id', '=', before.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await audit(rows, call, { verb: 'update', resourceType: 'release', resourceId: before.id, before, after })
  }
}
