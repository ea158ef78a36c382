import type { StoredTest } from '../../quality/cases/access.ts'
import { viewResults } from '../../quality/cases/result-view.ts'
import { testKey } from '../../quality/keys.ts'
import type { TruncationNotes } from '../../shared/truncation-notes.ts'
import type { Rows } from '../../sql/database.ts'
import type { TestContextBody } from './budget.ts'

const FAILURES_SHOWN = 10

/** The newest failures of these tests, at most ten; how many there are is noted. */
export async function pastFailures(
  rows: Rows,
  tests: readonly StoredTest[],
  notes: TruncationNotes,
): Promise<TestContextBody['past_failures']> {
  if (tests.length === 0) return []
  const keys = new Map(tests.map((test) => [test.id, testKey(test)]))
  const failed = rows
    .selectFrom('test_result')
    .where('test_id', 'in', [...keys.keys()])
    .where('status', 'in', ['RESULT_STATUS_FAILED', 'RESULT_STATUS_ERROR', 'RESULT_STATUS_FLAKY'])
  const newest = failed.selectAll().orderBy('executed_at', 'desc').orderBy('id', 'desc').limit(FAILURES_SHOWN)
  const [found, { total }] = await Promise.all([
    newest.execute(),
    failed.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  notes.noteCut('past_failures', 'max_items', found.length, total)
  return (await viewResults(rows, found)).map((result) => ({
    test_key: keys.get(result.test_id) ?? '',
    message: result.message,
    executed_at: result.executed_at,
    commit_sha: result.commit_sha,
    release: result.release,
    release_known: result.release_known,
  }))
}
