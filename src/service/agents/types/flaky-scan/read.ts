import { sql } from 'kysely'
import { ReportedList } from '../../../quality/test-ingest/attempts.ts'
import type { StoredTest } from '../../../quality/cases/access.ts'
import { requirementKey } from '../../../quality/keys.ts'
import { countedLinks, countingRoles } from '../../../quality/coverage/links.ts'
import { chunks } from '../../../sql/chunks.ts'
import { columnIn } from '../../../sql/conditions.ts'
import type { Rows } from '../../../sql/database.ts'
import { readJson } from '../../../sql/json.ts'
import type { CaseRun } from './history.ts'

export type ScannedCase = Pick<
  StoredTest,
  | 'id'
  | 'number'
  | 'title'
  | 'names_known'
  | 'file_path'
  | 'quarantined_until'
  | 'quarantine_reason'
  | 'quarantine_owner'
>

/** Which results are read. */
export interface Window {
  /** Epoch milliseconds. */
  since: number
  until: number
  environmentId: string | undefined
}

/** The cases of a product that are in use, by number. */
export function readCases(rows: Rows, productId: number): Promise<ScannedCase[]> {
  return rows
    .selectFrom('test')
    .select(['id', 'number', 'title', 'names_known', 'file_path'])
    .select(['quarantined_until', 'quarantine_reason', 'quarantine_owner'])
    .where('product_id', '=', productId)
    .where('kind', '=', 'TEST_KIND_CASE')
    .where('status', '<>', 'TEST_STATUS_DEPRECATED')
    .where('deleted_at', 'is', null)
    .orderBy('number')
    .execute()
}

/** The runs of those cases that failed at least once in the window. Most cases never fail; their runs are not read. */
export async function readRuns(
  rows: Rows,
  testIds: readonly string[],
  { since, until, environmentId }: Window,
): Promise<Map<string, CaseRun[]>> {
  const { rows: found } = await sql<StoredRun>`
    SELECT result.test_id, result.status, result.executed_at, result.environment_id,
      CASE WHEN result.attempts > 1 AND result.status <> 'RESULT_STATUS_FLAKY' THEN result.reported ELSE '' END AS reported,
      run.run_key, run.commit_sha, run.git_branch, run.ci_url
    FROM test_result AS result JOIN test_run AS run ON run.id = result.run_id
    WHERE result.test_id IN (
        SELECT test_id FROM test_result WHERE ${columnIn('test_id', testIds)} AND executed_at >= ${since}
          AND status IN ('RESULT_STATUS_FAILED', 'RESULT_STATUS_ERROR', 'RESULT_STATUS_FLAKY'))
      AND result.executed_at >= ${since} AND result.executed_at <= ${until}
      AND result.status NOT IN ('RESULT_STATUS_SKIPPED', 'RESULT_STATUS_BLOCKED')
  `.execute(rows)
  const runs = new Map<string, CaseRun[]>()
  for (const row of found) {
    if (environmentId !== undefined && row.environment_id !== environmentId) continue
    const known = runs.get(row.test_id)
    if (known === undefined) runs.set(row.test_id, [asRun(row)])
    else known.push(asRun(row))
  }
  return runs
}

interface StoredRun {
  test_id: string
  status: string
  executed_at: number
  environment_id: string
  /** JSON of the attempts; '' if the status says everything. */
  reported: string
  run_key: string
  commit_sha: string
  git_branch: string
  ci_url: string
}

function asRun(row: StoredRun): CaseRun {
  const passed = row.status === 'RESULT_STATUS_PASSED' || row.status === 'RESULT_STATUS_FLAKY'
  return {
    runKey: row.run_key,
    at: row.executed_at,
    commitSha: row.commit_sha.toLowerCase(),
    gitBranch: row.git_branch,
    environmentId: row.environment_id,
    ciUrl: row.ci_url,
    passed,
    isMixed: row.status === 'RESULT_STATUS_FLAKY' || (!passed && hasPass(row.reported)),
  }
}

/** Whether an earlier attempt of a run that failed in the end had passed. */
function hasPass(reported: string): boolean {
  if (reported === '') return false
  const passes = ['RESULT_STATUS_PASSED', 'RESULT_STATUS_FLAKY']
  return readJson(ReportedList, reported).some(({ status }) => passes.includes(status))
}

/** A requirement in use that a case counts for. */
export interface Proved {
  id: string
  key: string
  title: string
  priority: string
  /** No other case counts for it. */
  isOnlyProof: boolean
}

/** The requirements in use that each case counts for, itself or through its suites, by number. */
export async function readProved(
  rows: Rows,
  testIds: readonly string[],
  now: number,
): Promise<Map<string, readonly Proved[]>> {
  const proved = new Map<string, Proved[]>()
  for (const chunk of chunks(testIds, 100)) {
    const { rows: links } = await sql<{ root: string; id: string; number: number; title: string; priority: string }>`
      WITH RECURSIVE above (root, id, parent_id) AS (
        SELECT id, id, parent_id FROM test WHERE ${columnIn('id', chunk)}
        UNION SELECT above.root, test.id, test.parent_id FROM above JOIN test ON test.id = above.parent_id
      )
      SELECT DISTINCT above.root, requirement.id, requirement.number, requirement.title, requirement.priority
      FROM above JOIN test_link AS link ON link.test_id = above.id
        JOIN requirement ON requirement.id = link.requirement_id
      WHERE ${columnIn('link.role', countingRoles)} AND link.archived_at IS NULL
        AND requirement.status <> 'REQUIREMENT_STATUS_DEPRECATED'
      ORDER BY requirement.number`.execute(rows)
    const cases = await readLinkedCases(rows, [...new Set(links.map(({ id }) => id))], now)
    for (const { root, id, number, title, priority } of links) {
      const isOnlyProof = [...(cases.get(id) ?? [])].every((testId) => testId === root)
      const one = { id, key: requirementKey({ number }), title, priority, isOnlyProof }
      proved.set(root, [...(proved.get(root) ?? []), one])
    }
  }
  return proved
}

/** The cases that count for each requirement. */
async function readLinkedCases(
  rows: Rows,
  requirementIds: readonly string[],
  now: number,
): Promise<Map<string, Set<string>>> {
  const cases = new Map<string, Set<string>>()
  for (const chunk of chunks(requirementIds)) {
    for (const [id, links] of await countedLinks(rows, chunk, { now }))
      cases.set(id, new Set(links.flatMap((link) => link.cases.map(({ testId }) => testId))))
  }
  return cases
}
