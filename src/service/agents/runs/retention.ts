import { AGENT_RUN_DAYS } from '../../../contract/agents.ts'
import { dayMs } from '../../shared/times.ts'
import type { Database, Prepare } from '../../sql/database.ts'
import { inSteps, STEP } from '../../sql/in-steps.ts'

/** Days that the events of a run are kept after its end (contract §13). */
const EVENT_DAYS = 30

/**
 * Removes the events of runs that ended more than 30 days ago, and runs that ended more than 180 days ago. Resolves to the
 * number of removed rows; `signal` ends the work after the current transaction.
 */
export async function removeOldRuns(
  db: Database,
  now: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const events = await inSteps({ db, signal }, (prepare) => removeEvents(prepare, now - EVENT_DAYS * dayMs))
  const runs = await inSteps({ db, signal }, (prepare) => removeRuns(prepare, now - AGENT_RUN_DAYS * dayMs))
  return events + runs
}

async function removeEvents(prepare: Prepare, before: number): Promise<number> {
  const removed = await prepare(
    `DELETE FROM agent_run_event WHERE (run_id, sequence) IN (
       SELECT event.run_id, event.sequence FROM agent_run AS run
       CROSS JOIN agent_run_event AS event WHERE run.finished_at < ? AND event.run_id = run.id LIMIT ?)`,
  ).run(before, STEP)
  return removed.changes
}

async function removeRuns(prepare: Prepare, before: number): Promise<number> {
  const remove = prepare('DELETE FROM agent_run WHERE seq IN (SELECT seq FROM agent_run WHERE finished_at < ? LIMIT ?)')
  return (await remove.run(before, STEP)).changes
}
