import type { Platform } from '../../shared/context.ts'
import type { Prepare } from '../../sql/database.ts'
import { appendEvents } from './append.ts'
import { endRun } from './end.ts'
import type { StoredRun } from './store.ts'

/** How long a process may execute a run before it has to renew its lease. */
const LEASE_MS = 15_000
/** More than the clocks of two machines differ that agree. */
const CLOCKS_DIFFER_MS = 2 * 60_000
/** Each attempt of a run adds events to it, and blocks its config. */
const MOST_ATTEMPTS = 5
/** How long a run that is being cancelled may take to reach its next checkpoint. */
export const CANCEL_GRACE_MS = 1_500

/** The right to execute a run and to write its results, until another process gets a higher fence (decision 067). */
export interface Lease {
  readonly runId: string
  readonly fence: number
}

/** A run in progress, as every process sees it. */
export type LeasedRun = Pick<StoredRun, 'id' | 'state' | 'lease_fence' | 'lease_until' | 'cancel_requested_at'>

/** Leases the oldest queued run, and writes its STARTED event; undefined when no run is queued. */
export async function claimRun(prepare: Prepare, platform: Platform): Promise<StoredRun | undefined> {
  const now = platform.now()
  const claimed = await prepare(
    `UPDATE agent_run SET state = 'AGENT_RUN_STATE_RUNNING', started_at = ?1, lease_until = ?2,
       lease_fence = lease_fence + 1
     WHERE seq = (SELECT seq FROM agent_run WHERE state = 'AGENT_RUN_STATE_QUEUED' ORDER BY seq LIMIT 1)
     RETURNING *`,
  ).get<StoredRun>(now, now + LEASE_MS)
  if (claimed === undefined) return undefined
  await appendEvents(prepare, platform, claimed.id, [{ kind: 'STARTED', message: 'The run has started.' }])
  return claimed
}

/** The state of a run that the lease may write, RUNNING or CANCELLING; undefined when the lease has ended. */
export async function leasedState(prepare: Prepare, { runId, fence }: Lease): Promise<string | undefined> {
  const run = await prepare(
    `SELECT state FROM agent_run WHERE id = ? AND lease_fence = ?
       AND state IN ('AGENT_RUN_STATE_RUNNING', 'AGENT_RUN_STATE_CANCELLING')`,
  ).get<{ state: string }>(runId, fence)
  return run?.state
}

/** Extends a lease unless its run has ended. */
export async function renewLease(prepare: Prepare, platform: Platform, { runId, fence }: Lease): Promise<void> {
  await prepare('UPDATE agent_run SET lease_until = ?3 WHERE id = ?1 AND lease_fence = ?2 AND lease_until > 0').run(
    runId,
    fence,
    platform.now() + LEASE_MS,
  )
}

/**
 * Queues the run of a lease again, for the next process. A run that is being cancelled ends instead, and so does one that
 * was in progress for the fifth time.
 */
export async function requeueRun(prepare: Prepare, platform: Platform, lease: Lease): Promise<void> {
  const state = await leasedState(prepare, lease)
  if (state === undefined) return
  if (state === 'AGENT_RUN_STATE_CANCELLING') return endRun(prepare, platform, lease.runId, cancelled)
  // Each attempt has raised the fence by one.
  if (lease.fence >= MOST_ATTEMPTS) return endRun(prepare, platform, lease.runId, interrupted)
  await prepare(
    `UPDATE agent_run SET state = 'AGENT_RUN_STATE_QUEUED', started_at = NULL, lease_until = 0, progress_phase = '',
       progress_done = 0, progress_total = 0 WHERE id = ?`,
  ).run(lease.runId)
  const message = 'The service was stopped. The run is queued again and starts from the beginning.'
  await appendEvents(prepare, platform, lease.runId, [{ kind: 'LOG', message }])
}

/**
 * Whether the lease of a run has expired: its process is gone, or was suspended for too long. One that ends later than any can
 * is from a time when the clock was ahead; where a process still renews it, that is seen.
 */
export function isExpired({ lease_until: until }: LeasedRun, now: number): boolean {
  return until <= now || until > now + LEASE_MS + CLOCKS_DIFFER_MS
}

/** Whether a run was cancelled and has not reached a checkpoint in time. */
export function isOverdue({ state, cancel_requested_at: requestedAt }: LeasedRun, now: number): boolean {
  return state === 'AGENT_RUN_STATE_CANCELLING' && now - (requestedAt ?? 0) >= CANCEL_GRACE_MS
}

/**
 * Ends a run on behalf of the process that executes it, and with it the lease of that process: CANCELLED if that was
 * requested, else FAILED. Returns false and changes nothing when the run has ended or `isDue` returns false for it.
 */
export async function endForOwner(
  prepare: Prepare,
  platform: Platform,
  { runId, isDue }: { runId: string; isDue: (run: LeasedRun) => boolean },
): Promise<boolean> {
  const run = await prepare(
    `SELECT id, state, lease_fence, lease_until, cancel_requested_at FROM agent_run WHERE id = ?
       AND state IN ('AGENT_RUN_STATE_RUNNING', 'AGENT_RUN_STATE_CANCELLING')`,
  ).get<LeasedRun>(runId)
  if (run === undefined || !isDue(run)) return false
  await prepare('UPDATE agent_run SET lease_fence = lease_fence + 1 WHERE id = ?').run(runId)
  await endRun(prepare, platform, runId, run.state === 'AGENT_RUN_STATE_CANCELLING' ? cancelled : leftBehind)
  return true
}

const cancelled = { state: 'AGENT_RUN_STATE_CANCELLED' } as const

const leftBehind = {
  state: 'AGENT_RUN_STATE_FAILED',
  code: 'PROCESS_RESTARTED',
  message: 'The process that executed the run ended before the run did. The run wrote nothing; start it again.',
} as const

const interrupted = {
  state: 'AGENT_RUN_STATE_FAILED',
  code: 'PROCESS_RESTARTED',
  message:
    `The service was stopped during each of ${String(MOST_ATTEMPTS)} attempts. The run wrote nothing; start it again in a ` +
    'process that stays, such as tracegate serve.',
} as const
