import { ServiceError } from '../../../errors.ts'
import type { Writing } from '../../shared/context.ts'
import { checkEtag } from '../../shared/etag.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import { audit } from '../../workspace/audit.ts'
import { appendEvents } from './append.ts'
import { endRun } from './end.ts'
import { activeStates } from './states.ts'
import { runEtag, type StoredRun } from './store.ts'

/**
 * Cancels a queued run at once, and requests the cancellation of one in progress; a run that is cancelled or being cancelled
 * stays unchanged. Throws `RUN_FINISHED` for a run that ended otherwise, and `ETAG_MISMATCH`.
 */
export async function cancelRun(
  { rows, prepare }: { rows: Rows; prepare: Prepare },
  call: Writing,
  { run, reason = '', etag }: { run: StoredRun; reason?: string | undefined; etag?: string | undefined },
): Promise<void> {
  if (run.state === 'AGENT_RUN_STATE_CANCELLING' || run.state === 'AGENT_RUN_STATE_CANCELLED') return
  const isQueued = run.state === 'AGENT_RUN_STATE_QUEUED'
  if (!isQueued && run.state !== 'AGENT_RUN_STATE_RUNNING') throw alreadyFinished(run)
  checkEtag(etag, runEtag(run))
  await rows
    .updateTable('agent_run')
    .set({ state: 'AGENT_RUN_STATE_CANCELLING', cancel_requested_at: call.now() })
    .where('id', '=', run.id)
    .execute()
  const data = { reason, requested_by: call.actor }
  await appendEvents(prepare, call, run.id, [
    { kind: 'CANCEL_REQUESTED', message: 'Cancellation was requested.', data },
  ])
  if (isQueued) await endRun(prepare, call, run.id, { state: 'AGENT_RUN_STATE_CANCELLED' })
  await audit(rows, call, {
    verb: 'set_status',
    resourceType: 'agent_run',
    resourceId: run.id,
    before: run,
    after: data,
  })
}

function alreadyFinished({ state }: StoredRun): ServiceError {
  return new ServiceError('failed_precondition', `the run has ended: ${state}; there is nothing to cancel`, {
    reason: 'RUN_FINISHED',
    metadata: { state },
  })
}

/** Cancels the runs of a config that have not ended, and returns their ids. */
export async function cancelActiveRuns(
  { rows, prepare }: { rows: Rows; prepare: Prepare },
  call: Writing,
  { configId, reason }: { configId: string; reason: string },
): Promise<string[]> {
  const active = await rows
    .selectFrom('agent_run')
    .selectAll()
    .where('agent_config_id', '=', configId)
    .where('state', 'in', activeStates)
    .execute()
  for (const run of active) await cancelRun({ rows, prepare }, call, { run, reason })
  return active.map(({ id }) => id)
}
