import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'

/** Those of the ids that exist and are not deleted. */
export async function liveIds(
  rows: Rows,
  table: 'requirement' | 'test' | 'component',
  ids: readonly string[],
): Promise<Set<string>> {
  const live = new Set<string>()
  for (const chunk of chunks([...new Set(ids)])) {
    const found =
      table === 'component'
        ? await rows.selectFrom('component').select('id').where('id', 'in', chunk).execute()
        : await rows.selectFrom(table).select('id').where('id', 'in', chunk).where('deleted_at', 'is', null).execute()
    for (const { id } of found) live.add(id)
  }
  return live
}
