import type { Writing } from '../../shared/context.ts'
import { readOwnJson, readTexts } from '../../sql/json.ts'
import type { Pause, Prepare, Rows } from '../../sql/database.ts'
import { recordExclusion } from '../../workspace/exclusions.ts'
import { DEPRECATED_BY, MISSING } from '../cases/columns.ts'
import { testItem } from '../cases/exclusions.ts'
import { findReaching, isOutsideError, isWholeRun, syntheticNames, UNREADABLE } from '../reports/model/synthetic.ts'
import type { Applied } from './apply.ts'

interface MissingFacts {
  productId: number
  /** '' for none. */
  runId: string
  /** A shard has some of the cases of a file. */
  isShard: boolean
  pause: Pause
}

interface KnownCase {
  id: string
  name: string
  file_path: string
  suite_path: string
  project: string
  labels: string
}

const GONE = 'missing from its file in a report that deprecates what is missing'

/**
 * Deprecates the known cases of the reported files that neither the report nor an earlier one of its run has
 * (MISSING_POLICY_DEPRECATE); returns their ids. A file that failed outside of its cases may have more of them.
 */
export async function deprecateMissing(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  { productId, runId, isShard, pause }: MissingFacts,
  { cases }: Applied,
): Promise<string[]> {
  const failed = cases.map(({ placed }) => placed).filter(({ reports }) => reports.some(isOutsideError))
  if (isShard || failed.some((one) => isWholeRun(one) || one.name === UNREADABLE)) return []
  const reaching = findReaching(failed)
  const files = new Set<string>()
  const unknown = new Set(['', ...failed.map(({ file_path }) => file_path)])
  for (const { placed } of cases) {
    files.add(placed.file_path)
    if (failed.length > 0 && reaching(placed).length > 0) unknown.add(placed.file_path)
  }
  const present = new Set(cases.map(({ testId }) => testId))
  const names = syntheticNames.map(() => '?').join(', ')
  const known = prepare(
    `SELECT id, name, file_path, suite_path, project, labels FROM test
     WHERE product_id = ? AND file_path = ? AND kind <> 'TEST_KIND_SUITE' AND name NOT IN (${names})
       AND status <> 'TEST_STATUS_DEPRECATED' AND deleted_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM test_result WHERE run_id = ? AND test_id = test.id)`,
  )
  const missing: string[] = []
  for (const file of files.difference(unknown)) {
    for (const one of await known.all<KnownCase>(productId, file, ...syntheticNames, runId)) {
      if (present.has(one.id) || reaching({ ...one, suite_path: readTexts(one.suite_path) }).length > 0) continue
      await pause()
      const marked = { ...readOwnJson<Record<string, string>>(one.labels), [DEPRECATED_BY]: MISSING }
      await prepare(
        `UPDATE test SET status = 'TEST_STATUS_DEPRECATED', labels = ?, etag_version = etag_version + 1, updated_at = ? WHERE id = ?`,
      ).run(JSON.stringify(marked), call.now(), one.id)
      await recordExclusion(rows, call, {
        ...testItem({ id: one.id, product_id: productId }),
        kind: 'test_deprecated',
        reason: GONE,
      })
      missing.push(one.id)
    }
  }
  return missing
}
