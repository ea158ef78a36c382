import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { letOthersRun } from '../../../lib/turns-of-others.ts'
import { StoredSettings } from '../../workspace/settings.ts'
import type { Database, Prepare, Rows } from '../../sql/database.ts'
import { inSteps, PAUSE_MS, STEP } from '../../sql/in-steps.ts'
import { chunks } from '../../sql/chunks.ts'
import { columnIn } from '../../sql/conditions.ts'
import { dayMs } from '../../shared/times.ts'
import { readJson } from '../../sql/json.ts'

/** How long the results of a deleted test are kept (contract §4). */
const DELETED_DAYS = 30
/** Tests whose results are read at a time: some thousand rows. */
const TESTS = 20

/**
 * Removes results older than their product's `retention_days`, except the newest of each test in each place where a scope
 * looks for one, and the results of tests deleted more than 30 days ago; then runs without results. Resolves to the number
 * of removed results; `signal` ends the run after the current transaction.
 */
export async function removeOldResults(
  db: Database,
  now: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const products = await db.read.selectFrom('product').select(['id', 'settings']).execute()
  let removed = 0
  for (const { id, settings } of products) {
    const { retention_days } = readJson(StoredSettings, settings)
    removed += await removeAged({ db, signal }, id, now - retention_days * dayMs)
    removed += await inSteps({ db, signal }, (prepare) => removeDeleted(prepare, id, now - DELETED_DAYS * dayMs))
    await inSteps({ db, signal }, (prepare) => removeEmptyRuns(prepare, id, now - retention_days * dayMs))
  }
  return removed
}

async function removeAged(
  { db, signal }: { db: Database; signal: AbortSignal },
  productId: number,
  before: number,
): Promise<number> {
  let removed = 0
  const tests = await readAgedTests(db.read, productId, before)
  for (const some of chunks(tests, TESTS)) {
    let ids: string[]
    do {
      if (signal.aborted) return removed
      ids = await readSuperseded(db.read, some, before)
      if (ids.length > 0) {
        await db.write((rows) => rows.deleteFrom('test_result').where(rows.dialect.isOneOf('id', ids)).execute())
        await sleep(PAUSE_MS)
      }
      removed += ids.length
    } while (ids.length === STEP)
    await letOthersRun()
  }
  return removed
}

/** The tests that have results from before that time. */
async function readAgedTests(rows: Rows, productId: number, before: number): Promise<string[]> {
  const { rows: found } = await sql<{ id: string }>`
    SELECT id FROM test WHERE product_id = ${productId}
      AND EXISTS (SELECT 1 FROM test_result WHERE test_id = test.id AND executed_at < ${before})`.execute(rows)
  return found.map(({ id }) => id)
}

/**
 * Results from before that time that have a newer one of the same test, git branch, environment, release and sender. The
 * newest stays at any age: scopes are made of these, so without it an older verdict could lose its failure (decision 059).
 */
async function readSuperseded(rows: Rows, tests: readonly string[], before: number): Promise<string[]> {
  const { rows: found } = await sql<{ id: string }>`
    SELECT id FROM (
      SELECT result.id, result.executed_at, row_number() OVER (
        PARTITION BY result.test_id, run.git_branch, result.environment_id, result.release_id, run.sender
        ORDER BY result.executed_at DESC, result.id DESC) AS place
      FROM test_result AS result JOIN test_run AS run ON run.id = result.run_id
      WHERE ${columnIn('result.test_id', tests)}
    ) AS ranked WHERE place > 1 AND executed_at < ${before} LIMIT ${STEP}`.execute(rows)
  return found.map(({ id }) => id)
}

async function removeDeleted(prepare: Prepare, productId: number, before: number): Promise<number> {
  const removed = await prepare(
    `DELETE FROM test_result WHERE id IN (
       SELECT result.id FROM test JOIN test_result AS result ON result.test_id = test.id
       WHERE test.product_id = ? AND test.deleted_at < ? LIMIT ?)`,
  ).run(productId, before, STEP)
  return removed.changes
}

async function removeEmptyRuns(prepare: Prepare, productId: number, before: number): Promise<number> {
  const removed = await prepare(
    `DELETE FROM test_run WHERE id IN (
       SELECT id FROM test_run AS run WHERE product_id = ? AND created_at < ?
         AND NOT EXISTS (SELECT 1 FROM test_result WHERE run_id = run.id) LIMIT ?)`,
  ).run(productId, before, STEP)
  return removed.changes
}
