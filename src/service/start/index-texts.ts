import { indexTest } from '../quality/cases/text-index.ts'
import { indexRequirement } from '../quality/requirements/text-index.ts'
import type { Prepare, Rows } from '../sql/database.ts'
import { readTexts } from '../sql/json.ts'

/** Rows that are read at once. */
const CHUNK = 500

/** Builds the full-text indexes of a database that has none: of all requirements and tests that are not deleted. */
export async function indexTexts(rows: Rows, prepare: Prepare): Promise<void> {
  await inChunks(async (after) => {
    const found = await rows
      .selectFrom('requirement')
      .selectAll()
      .where('deleted_at', 'is', null)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(CHUNK)
      .execute()
    for (const row of found) await indexRequirement(prepare, row)
    return found.at(-1)?.seq
  })
  await inChunks(async (after) => {
    const found = await rows
      .selectFrom('test')
      .selectAll()
      .where('deleted_at', 'is', null)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(CHUNK)
      .execute()
    for (const row of found)
      await indexTest(prepare, { ...row, suite_path: readTexts(row.suite_path), tags: readTexts(row.tags) })
    return found.at(-1)?.seq
  })
}

async function inChunks(next: (after: number) => Promise<number | undefined>): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined;) last = await next(last)
}
