import type { Selectable } from 'kysely'
import type * as z from 'zod'
import { ResultStatus } from '../../../contract/base/common.ts'
import type { TestResult } from '../../../contract/tests.ts'
import { environmentNames, releaseNames } from '../../workspace/releases/names.ts'
import type { Rows } from '../../sql/database.ts'
import type { TestResultRow } from '../../sql/schema-quality.ts'
import { timestamp } from '../../shared/times.ts'

export type TestResultBody = z.input<typeof TestResult>
export type StoredResult = Selectable<TestResultRow>

/** Converts rows to the contract's results, in the same order, with the commit, branch and CI address of their runs. */
export async function viewResults(rows: Rows, results: readonly StoredResult[]): Promise<TestResultBody[]> {
  if (results.length === 0) return []
  const runIds = [...new Set(results.map(({ run_id }) => run_id))]
  const runs = await rows
    .selectFrom('test_run')
    .select(['id', 'commit_sha', 'git_branch', 'ci_url'])
    .where('id', 'in', runIds)
    .execute()
  const runsById = new Map(runs.map((run) => [run.id, run]))
  const environments = await environmentNames(
    rows,
    results.map((row) => row.environment_id),
  )
  const releases = await releaseNames(
    rows,
    results.map((row) => row.release_id),
  )
  return results.map((row) => {
    const run = runsById.get(row.run_id)
    const environment = environments.get(row.environment_id)
    const release = releases.get(row.release_id)
    return {
      id: row.id,
      test_id: row.test_id,
      run_id: row.run_id,
      status: ResultStatus.parse(row.status),
      attempts: row.attempts,
      duration_ms: row.duration_ms,
      message: row.message,
      trace: row.trace,
      executed_at: timestamp(row.executed_at),
      environment_id: row.environment_id,
      environment: environment?.name ?? '',
      environment_known: environment?.known ?? false,
      release_id: row.release_id,
      release: release?.version ?? '',
      release_known: release?.known ?? false,
      commit_sha: run?.commit_sha ?? '',
      git_branch: run?.git_branch ?? '',
      ci_url: run?.ci_url ?? '',
    }
  })
}
