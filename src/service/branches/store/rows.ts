import type { StoredTest } from '../../quality/cases/access.ts'
import type { StoredRequirement } from '../../quality/requirements/access.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'

/** The requirements and tests with these ids, deleted ones included. */
export async function readStored(
  rows: Rows,
  ids: Iterable<string>,
): Promise<{ requirements: StoredRequirement[]; tests: StoredTest[] }> {
  const requirements: StoredRequirement[] = []
  const tests: StoredTest[] = []
  for (const chunk of chunks([...new Set(ids)])) {
    requirements.push(...(await rows.selectFrom('requirement').selectAll().where('id', 'in', chunk).execute()))
    tests.push(...(await rows.selectFrom('test').selectAll().where('id', 'in', chunk).execute()))
  }
  return { requirements, tests }
}
