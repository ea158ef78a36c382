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

/**
 * Returns a function that says of an error whether every scope that has it and a run of the place `own` has a later result
 * without it. Of the results only the latest of each kind is kept, because a place may have thousands.
 */
export function findAnswers(
  results: readonly PlacedResult[],
  own: RunPlace,
): (error: Pick<PlacedResult, 'executed_at' | keyof RunPlace>) => boolean {
  const latest = new Map<string, Map<number, number>>()
  for (const result of results) {
    if (isRed(result)) continue
    const kinds = latest.get(result.git_branch) ?? new Map<number, number>()
    latest.set(result.git_branch, kinds)
    const kind = sharedWith(own, result)
    kinds.set(kind, Math.max(kinds.get(kind) ?? -Infinity, result.executed_at))
  }
  return (error) => {
    const needed = sharedWith(own, error)
    // A scope may have several branches; of the others it has one, or all.
    const kinds = [error.git_branch, own.git_branch].flatMap((branch) => [...(latest.get(branch) ?? [])])
    return kinds.some(([kind, at]) => at > error.executed_at && (kind & needed) === needed)
  }
}

/** One bit for each name other than the branch that both have in common. */
function sharedWith(own: RunPlace, place: RunPlace): number {
  return others.reduce((bits, name, index) => (place[name] === own[name] ? bits | (1 << index) : bits), 0)
}

const others = ['sender', 'environment_id', 'version', 'commit_sha'] as const
const names = ['git_branch', ...others] as const
