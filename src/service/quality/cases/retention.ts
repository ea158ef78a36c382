import { StoredSettings } from '../../workspace/settings.ts'
import type { Database, Prepare } from '../../sql/database.ts'
import { inSteps, STEP } from '../../sql/in-steps.ts'
import { dayMs } from '../../shared/times.ts'
import { readJson } from '../../sql/json.ts'

/** How long the results of a deleted test are kept (contract §4). */
const DELETED_DAYS = 30

/**
 * Removes results older than their product's `retention_days`, except the newest of each test, and the results of tests
 * deleted more than 30 days ago; then runs without results. Resolves to the number of removed results; `signal` ends
 * the run after the current transaction.
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
    removed += await inSteps({ db, signal }, (prepare) => removeAged(prepare, id, now - retention_days * dayMs))
    removed += await inSteps({ db, signal }, (prepare) => removeDeleted(prepare, id, now - DELETED_DAYS * dayMs))
    await inSteps({ db, signal }, (prepare) => removeEmptyRuns(prepare, id, now - retention_days * dayMs))
  }
  return removed
}

async function removeAged(prepare: Prepare, productId: number, before: number): Promise<number> {
  const removed = await prepare(
    `DELETE FROM test_result WHERE id IN (
       SELECT result.id FROM test_result AS result LEFT JOIN test ON test.last_result_id = result.id AND test.id = result.test_id
       WHERE result.product_id = ? AND result.executed_at < ? AND test.id IS NULL LIMIT ?)`,
  ).run(productId, before, STEP)
  return removed.changes
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
