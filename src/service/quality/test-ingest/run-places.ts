import type { ReportCase } from '../reports/model/report.ts'
import { isRed } from '../reports/model/synthetic.ts'
import type { Prepare } from '../../sql/database.ts'

/** What of a run decides in which scopes its results count (decision 058). */
interface RunPlace {
  git_branch: string
  sender: string
  environment_id: string
  version: string
  commit_sha: string
}

interface PlacedResult extends RunPlace {
  run_id: string
  status: ReportCase['status']
  executed_at: number
}

const COLUMNS = `run.git_branch, run.sender, run.environment_id, run.commit_sha,
  coalesce((SELECT version FROM release WHERE release.id = run.release_id), '') AS version`

export async function readPlacedRun(prepare: Prepare, runId: string): Promise<RunPlace> {
  const run = await prepare(`SELECT ${COLUMNS} FROM test_run AS run WHERE run.id = ?`).get<RunPlace>(runId)
  return run ?? { git_branch: '', sender: '', environment_id: '', version: '', commit_sha: '' }
}

export function readPlacedResults(prepare: Prepare, testId: string): Promise<PlacedResult[]> {
  return prepare(
    `SELECT result.run_id, result.status, result.executed_at, ${COLUMNS}
     FROM test_result AS result JOIN test_run AS run ON run.id = result.run_id WHERE result.test_id = ?`,
  ).all<PlacedResult>(testId)
}

/** Whether the same scopes have both. */
export function isSamePlace(a: RunPlace, b: RunPlace): boolean {
  return names.every((name) => a[name] === b[name])
}

/** Whether every scope that has the error and a run of that place has a later result without it. */
export function isAnswered(error: PlacedResult, results: readonly PlacedResult[], own: RunPlace): boolean {
  return results.some(
    (one) =>
      !isRed(one) &&
      one.executed_at > error.executed_at &&
      // A scope may have several branches; of the others it has one, or all.
      (one.git_branch === error.git_branch || one.git_branch === own.git_branch) &&
      names.every((name) => name === 'git_branch' || error[name] !== own[name] || one[name] === own[name]),
  )
}

const names = ['git_branch', 'sender', 'environment_id', 'version', 'commit_sha'] as const
