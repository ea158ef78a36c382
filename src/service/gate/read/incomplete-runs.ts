import { sql } from 'kysely'
import { isRunInScope } from '../../quality/coverage/scope.ts'
import { Shards } from '../../quality/test-ingest/run.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import type { IncompleteRun } from '../facts.ts'
import type { FactsQuery } from './query.ts'

/** Incomplete runs that are read at a time, newest first; one of them is enough to leave a verdict open. */
const RUNS = 50

/**
 * The runs of the scope that lack shards or whose report was cut off, newest first. Runs that are too old to prove
 * something do not matter, and neither does one that a later complete run of the scope supersedes: one with results of
 * more than half of its cases.
 */
export async function readIncompleteRuns(rows: Rows, query: FactsQuery): Promise<IncompleteRun[]> {
  const open: FoundRun[] = []
  let last: FoundRun | undefined
  do {
    const found = await readNext(rows, query, last)
    for (const run of found) if (!(await isSuperseded(rows, run, query))) open.push(run)
    last = found.length === RUNS ? found.at(-1) : undefined
  } while (open.length === 0 && last !== undefined)
  return open.map(viewIncomplete)
}

/** The incomplete runs of the scope that come after that one, newest first. */
async function readNext(
  rows: Rows,
  { scope, counting, maxAgeMs, now }: FactsQuery,
  last: FoundRun | undefined,
): Promise<FoundRun[]> {
  const isNext = last === undefined ? sql`1 = 1` : sql`(run.created_at, run.id) < (${last.created_at}, ${last.id})`
  const { rows: found } = await sql<FoundRun>`
    SELECT run.id, run.run_key, run.created_at, run.shards, run.shard_total
    FROM test_run AS run
    WHERE run.product_id = ${scope.productId} AND (run.incomplete <> '' OR run.shards_missing > 0)
      AND run.created_at >= ${maxAgeMs === 0 ? 0 : now - maxAgeMs} AND ${isRunInScope(counting)} AND ${isNext}
    ORDER BY run.created_at DESC, run.id DESC LIMIT ${RUNS}`.execute(rows)
  return found
}

interface FoundRun {
  id: string
  run_key: string
  created_at: number
  shards: string
  shard_total: number
}

async function isSuperseded(rows: Rows, run: FoundRun, { scope, counting }: FactsQuery): Promise<boolean> {
  const { rows: own } = await sql<{ cases: number }>`
    SELECT count(*) AS cases FROM test_result WHERE run_id = ${run.id}`.execute(rows)
  const cases = own[0]?.cases ?? 0
  const hasMost =
    cases === 0
      ? sql`1 = 1`
      : sql`2 * (SELECT count(*) FROM test_result AS result WHERE result.run_id = run.id
          AND result.test_id IN (SELECT test_id FROM test_result WHERE run_id = ${run.id})) > ${cases}`
  // The search ends at the first run that supersedes it.
  const { rows: later } = await sql`
    SELECT run.id FROM test_run AS run WHERE run.product_id = ${scope.productId} AND run.incomplete = ''
      AND run.shards_missing = 0 AND (run.created_at, run.id) > (${run.created_at}, ${run.id})
      AND ${isRunInScope(counting)} AND ${hasMost} LIMIT 1`.execute(rows)
  return later.length > 0
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
