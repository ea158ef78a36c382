import type { Platform } from '../../shared/context.ts'
import type { Prepare } from '../../sql/database.ts'
import { appendEvents, type NewEvent } from './append.ts'

/** How a run ends. */
export type RunEnd =
  | {
      state: 'AGENT_RUN_STATE_SUCCEEDED'
      summary: string
      /** JSON. */
      output: string
      branchId: string
      truncationSignals: readonly string[]
      /** Actions and findings of its commit. */
      events: readonly NewEvent[]
    }
  | { state: 'AGENT_RUN_STATE_FAILED' | 'AGENT_RUN_STATE_TIMED_OUT'; code: string; message: string }
  | { state: 'AGENT_RUN_STATE_CANCELLED' }

/** Writes the last state and the last events of a run, in the transaction that has checked its state. */
export async function endRun(prepare: Prepare, platform: Platform, runId: string, end: RunEnd): Promise<void> {
  const isDone = end.state === 'AGENT_RUN_STATE_SUCCEEDED'
  const error = 'code' in end ? end : { code: '', message: '' }
  await prepare(
    `UPDATE agent_run SET state = ?2, finished_at = ?3, summary = ?4, output = ?5, branch_id = ?6,
       truncation_signals = ?7, error_code = ?8, error_message = ?9, lease_until = 0 WHERE id = ?1`,
  ).run(
    runId,
    end.state,
    platform.now(),
    isDone ? end.summary : '',
    isDone ? end.output : null,
    isDone ? end.branchId : '',
    JSON.stringify(isDone ? end.truncationSignals : []),
    error.code,
    error.message,
  )
  await appendEvents(prepare, platform, runId, lastEvents(end))
}

function lastEvents(end: RunEnd): NewEvent[] {
  const completed = (message: string, summary = ''): NewEvent => {
    return { kind: 'COMPLETED', message, data: { state: end.state, summary } }
  }
  switch (end.state) {
    case 'AGENT_RUN_STATE_SUCCEEDED':
      return [...end.events, completed(end.summary, end.summary)]
    case 'AGENT_RUN_STATE_CANCELLED':
      return [completed('The run was cancelled.')]
    case 'AGENT_RUN_STATE_FAILED':
    case 'AGENT_RUN_STATE_TIMED_OUT': {
      const error: NewEvent = { kind: 'ERROR', message: end.message, data: { code: end.code } }
      const hasFailed = end.state === 'AGENT_RUN_STATE_FAILED'
      return [error, completed(hasFailed ? 'The run failed.' : 'The run took too long.')]
    }
  }
}
