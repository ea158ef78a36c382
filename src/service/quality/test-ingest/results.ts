import type { InputOf } from '../../../contract/index.ts'
import type { Call } from '../../shared/context.ts'
import type { ReportCase } from '../reports/model/report.ts'
import type { Prepare } from '../../sql/database.ts'
import { addReport, ReportedList } from './attempts.ts'
import type { StoredRun } from './run.ts'
import { readJson } from '../../sql/json.ts'

/** The run of the results, and the default time of results whose report does not give one. */
export interface RecordedRun {
  run: StoredRun
  executedAt: number
}

export interface ResultFacts {
  productId: number
  testId: string
  run: RecordedRun
  reported: ReportCase
  options: NonNullable<InputOf<'ingestTests'>['options']>
}

interface StoredOutcome {
  id: string
  executed_at: number
  reported: string
}

const MESSAGE_BYTES = 4096
const TRACE_BYTES = 8192

/**
 * Adds the report of a case to its result in the run, and updates the case's newest result. Returns false, and changes
 * nothing, if the run already has that report (contract §4.1).
 */
export async function recordResult(
  prepare: Prepare,
  call: Pick<Call, 'newId' | 'now'>,
  facts: ResultFacts,
): Promise<boolean> {
  const { productId, testId, run, reported, options } = facts
  const before = await prepare(
    'SELECT id, executed_at, reported FROM test_result WHERE run_id = ? AND test_id = ?',
  ).get<StoredOutcome>(run.run.id, testId)
  const outcome = addReport(before === undefined ? [] : readJson(ReportedList, before.reported), reported)
  if (outcome === undefined) return false
  // A clock that is ahead must not prevent later results from being the newest.
  const at = Math.min(reported.started_at ?? run.executedAt, call.now())
  const executedAt = Math.max(at, before?.executed_at ?? at)
  const text = {
    message: cutBytes(reported.message, MESSAGE_BYTES),
    trace: cutBytes(reported.trace, options.max_trace_bytes ?? TRACE_BYTES),
  }
  const id = before?.id ?? call.newId()
  if (before === undefined) {
    await prepare(
      `INSERT INTO test_result (id, product_id, test_id, run_id, status, attempts, duration_ms, message, trace, executed_at,
         environment_id, release_id, reported) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      id,
      productId,
      testId,
      run.run.id,
      outcome.status,
      outcome.attempts,
      outcome.duration_ms,
      text.message,
      text.trace,
      executedAt,
      run.run.environment_id,
      run.run.release_id,
      JSON.stringify(outcome.reported),
    )
  } else {
    await prepare(
      'UPDATE test_result SET status = ?, attempts = ?, duration_ms = ?, executed_at = ?, reported = ? WHERE id = ?',
    ).run(outcome.status, outcome.attempts, outcome.duration_ms, executedAt, JSON.stringify(outcome.reported), id)
    if (outcome.tellsNew) {
      await prepare('UPDATE test_result SET message = ?, trace = ? WHERE id = ?').run(text.message, text.trace, id)
    }
  }
  await keepNewest(prepare, testId)
  return true
}

/** Stores the newest result of a case in its row, so that lists and coverage need not search for it. */
async function keepNewest(prepare: Prepare, testId: string): Promise<void> {
  const newest = await prepare(
    'SELECT id, status FROM test_result WHERE test_id = ? ORDER BY executed_at DESC, id DESC LIMIT 1',
  ).get<{ id: string; status: string }>(testId)
  await prepare('UPDATE test SET last_result_id = ?, last_status = ? WHERE id = ?').run(
    newest?.id ?? '',
    newest?.status ?? '',
    testId,
  )
}

/** The start of the text, at most `bytes` long in UTF-8, never half a character. */
function cutBytes(text: string, bytes: number): string {
  if (text.length * 4 <= bytes) return text
  const encoded = Buffer.from(text, 'utf8')
  if (encoded.length <= bytes) return text
  // A cut character ends in U+FFFD, which is dropped.
  return encoded
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '')
}
