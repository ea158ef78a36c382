import { sql, type RawBuilder } from 'kysely'
import { columnIn } from '../../sql/conditions.ts'

/** Where results must come from to count; absent means from anywhere. */
export interface CoverageScope {
  environmentId?: string | undefined
  /** Any of these releases. */
  releaseIds?: readonly string[] | undefined
  /** Any of these runs. */
  runIds?: readonly string[] | undefined
  /** Runs of one of these git branches; '' means runs without a branch. */
  gitBranches?: readonly string[] | undefined
  /** Runs that this kind of token sent. */
  sender?: 'ci' | undefined
}

/** Whether results count wherever they come from. */
export function isUnscoped(scope: CoverageScope): boolean {
  return Object.values(scope).every((value) => value === undefined)
}

/** A query for the ids of the newest results of the cases: one for each case that has a result in the scope. */
export function newestResultIds(testIds: readonly string[], scope: CoverageScope): RawBuilder<{ id: string }> {
  const isOneOfThese = columnIn('test.id', testIds)
  // Every case stores the id of its newest result, so its history is not read.
  if (isUnscoped(scope)) return sql`SELECT last_result_id FROM test WHERE ${isOneOfThese}`
  const results = sql`FROM test_result AS result JOIN test_run AS run ON run.id = result.run_id`
  const order = sql`ORDER BY result.executed_at DESC, result.id DESC`
  if (scope.runIds !== undefined) {
    return sql`SELECT id FROM (
      SELECT result.id, row_number() OVER (PARTITION BY result.test_id ${order}) AS place
      ${results} WHERE ${columnIn('result.test_id', testIds)} AND ${inScope(scope)}
    ) AS ranked WHERE place = 1`
  }
  // By the index of a case's results: the search for each case ends at its first result in the scope.
  return sql`SELECT (SELECT result.id ${results} WHERE result.test_id = test.id AND ${inScope(scope)} ${order} LIMIT 1)
    FROM test WHERE ${isOneOfThese}`
}

/** Whether a `result` of a `run` is in the scope. */
export function inScope(scope: CoverageScope): RawBuilder<boolean> {
  return conditions(scope, { environment: 'result.environment_id', release: 'result.release_id' })
}

/** Whether a `run` is in the scope. */
export function isRunInScope(scope: CoverageScope): RawBuilder<boolean> {
  return conditions(scope, { environment: 'run.environment_id', release: 'run.release_id' })
}

function conditions(
  { environmentId, releaseIds, runIds, gitBranches, sender }: CoverageScope,
  columns: { environment: string; release: string },
): RawBuilder<boolean> {
  const one = (value: string | undefined) => (value === undefined ? undefined : [value])
  const wanted: [string, readonly string[] | undefined][] = [
    [columns.environment, one(environmentId)],
    [columns.release, releaseIds],
    ['run.id', runIds],
    ['run.git_branch', gitBranches],
    ['run.sender', one(sender)],
  ]
  const all = wanted.flatMap(([column, values]) => (values === undefined ? [] : [columnIn(column, values)]))
  return all.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`(${sql.join(all, sql` AND `)})`
}
