import { sql } from 'kysely'
import { isRunInScope } from '../../quality/coverage/scope.ts'
import { Shards } from '../../quality/test-ingest/run.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import type { IncompleteRun } from '../facts.ts'
import type { FactsQuery } from './query.ts'

/** Incomplete runs that are examined, newest first; one of them is enough to leave a verdict open. */
const MOST_RUNS = 50

/**
 * The runs of the scope that lack shards or whose report was cut off, newest first. Runs that are too old to prove
 * something do not matter, and neither does one that a later complete run of the scope supersedes: one with results of
 * more than half of its cases.
 */
export async function readIncompleteRuns(rows: Rows, query: FactsQuery): Promise<IncompleteRun[]> {
  const { scope, counting, maxAgeMs, now } = query
  const { rows: found } = await sql<FoundRun>`
    SELECT run.id, run.run_key, run.created_at, run.shards, run.shard_total
    FROM test_run AS run
    WHERE run.product_id = ${scope.productId} AND (run.incomplete <> '' OR run.shards_missing > 0)
      AND run.created_at >= ${maxAgeMs === 0 ? 0 : now - maxAgeMs} AND ${isRunInScope(counting)}
    ORDER BY run.created_at DESC, run.id DESC LIMIT ${MOST_RUNS}`.execute(rows)
  const open: FoundRun[] = []
  for (const run of found) if (!(await isSuperseded(rows, run, query))) open.push(run)
  return open.map(viewIncomplete)
}

interface FoundRun {
  id: string
  run_key: string
  created_at: number
  shards: string
  shard_total: number
}

async function isSuperseded(rows: Rows, run: FoundRun, { scope, counting }: FactsQuery): Promise<boolean> {
  const later = sql`FROM test_run AS run WHERE run.product_id = ${scope.productId} AND run.incomplete = ''
    AND run.shards_missing = 0 AND (run.created_at, run.id) > (${run.created_at}, ${run.id}) AND ${isRunInScope(counting)}`
  const { rows: own } = await sql<{ cases: number }>`
    SELECT count(*) AS cases FROM test_result WHERE run_id = ${run.id}`.execute(rows)
  const cases = own[0]?.cases ?? 0
  const { rows: shared } = await sql<{ cases: number }>`
    SELECT count(result.id) AS cases FROM (SELECT run.id ${later}) AS later
    LEFT JOIN test_result AS result ON result.run_id = later.id
      AND result.test_id IN (SELECT test_id FROM test_result WHERE run_id = ${run.id})
    GROUP BY later.id ORDER BY cases DESC LIMIT 1`.execute(rows)
  const best = shared[0]
  return best !== undefined && (cases === 0 || best.cases * 2 > cases)
}

/** A run without shards is one report, and only a part of it has arrived. Senders count from 0; one that names the total counts from 1. */
function viewIncomplete({ id, run_key: runKey, shards, shard_total: total }: FoundRun): IncompleteRun {
  const arrived = readJson(Shards, shards)
  const expected = Math.max(1, total)
  const first = arrived.includes(expected) ? 1 : 0
  const all = Array.from({ length: expected }, (_, index) => index + first)
  const missing = all.filter((index) => !arrived.includes(index))
  return { runId: id, runKey, received: expected - missing.length, expected, missing }
}
