import { stackText } from '../../../lib/stack.ts'
import { executeRun, type Execution, type ExecutionOptions } from './execution.ts'
import { CANCEL_GRACE_MS, claimRun, endForOwner, isExpired, isOverdue, renewLease, type LeasedRun } from './lease.ts'

const MOST_AT_ONCE = 2
/** A process that answers a single call is gone by then, and uses up no attempt of a run. */
const FIRST_LOOK_MS = 1_000
/** How often to look for runs that other processes have queued or left behind. */
const IDLE_LOOK_MS = 2_000
/** The same while this process executes runs: another one may cancel a run, which then has to end within 2 s. */
const BUSY_LOOK_MS = 500
const RENEW_MS = 5_000
/**
 * How long this process must have seen a lease that is not renewed before it believes that it has expired: its clock may be ahead of
 * the one that the lease is written by.
 */
const SEEN_MS = 2 * RENEW_MS

export type RunnerOptions = Omit<ExecutionOptions, 'run' | 'onEnded'>

/** Executes runs in this process (contract §8, decision 067). */
export interface Runner {
  /** Begins to look for queued runs and for those left behind. */
  begin(this: void): void
  /** To be called after a run was queued: executes it at once unless too many are in progress. */
  queued(this: void): void
  /** To be called after the cancellation of a run was committed. */
  cancelled(this: void, runId: string): void
  /** Queues the runs in progress again. */
  stop(this: void): Promise<void>
}

export function createRunner(options: RunnerOptions): Runner {
  const { db, platform, clock, log, onChanged } = options
  const executions = new Map<string, Execution>()
  /** Leases of other processes as they were last seen, and since when. */
  const seen = new Map<string, { until: number; since: number }>()
  const timers = new Set<() => void>()
  let isStopped = false
  let looking: Promise<void> | undefined
  let isLookDue = false
  let renewedAt = clock.now()
  let cancelNext = () => {}

  /** Looks now, or once more after the look in progress. */
  function look(): void {
    isLookDue = true
    looking ??= lookWhileDue()
  }

  async function lookWhileDue(): Promise<void> {
    cancelNext()
    while (isLookDue && !isStopped) {
      isLookDue = false
      await lookOnce().catch(warn)
    }
    looking = undefined
    if (!isStopped) cancelNext = clock.after(executions.size > 0 ? BUSY_LOOK_MS : IDLE_LOOK_MS, look)
  }

  async function lookOnce(): Promise<void> {
    const leased = await readLeased()
    see(leased)
    for (const execution of executions.values()) follow(execution, leased.get(execution.lease.runId))
    await renewLeases()
    for (const run of leased.values()) {
      if (isLeftBehind(run)) await endWhere(run.id, isLeftBehind)
    }
    await claimWhileFree()
  }

  /** The runs in progress in any process, by their ids. */
  async function readLeased(): Promise<Map<string, LeasedRun>> {
    const found = await db.read
      .selectFrom('agent_run')
      .select(['id', 'state', 'lease_fence', 'lease_until', 'cancel_requested_at'])
      .where('state', 'in', ['AGENT_RUN_STATE_RUNNING', 'AGENT_RUN_STATE_CANCELLING'])
      .execute()
    return new Map(found.map((run) => [run.id, run]))
  }

  function see(leased: ReadonlyMap<string, LeasedRun>): void {
    for (const id of seen.keys()) if (!leased.has(id)) seen.delete(id)
    for (const { id, lease_until: until } of leased.values()) {
      if (seen.get(id)?.until !== until) seen.set(id, { until, since: clock.now() })
    }
  }

  /** Stops an execution whose run another process has ended or cancelled. */
  function follow(execution: Execution, run: LeasedRun | undefined): void {
    if (run?.lease_fence !== execution.lease.fence) execution.abandon()
    else if (run.state === 'AGENT_RUN_STATE_CANCELLING') execution.cancel()
  }

  async function renewLeases(): Promise<void> {
    if (executions.size === 0 || clock.now() - renewedAt < RENEW_MS) return
    renewedAt = clock.now()
    const leases = Array.from(executions.values(), ({ lease }) => lease)
    await db.batch(async (prepare) => {
      for (const lease of leases) await renewLease(prepare, platform, lease)
    })
  }

  /** A run of this process is not left behind, even if the process was suspended for longer than the lease. */
  function isLeftBehind(run: LeasedRun): boolean {
    const isOwn = executions.get(run.id)?.lease.fence === run.lease_fence
    return isOverdue(run, platform.now()) || (!isOwn && isExpired(run, platform.now()) && isUnrenewed(run))
  }

  function isUnrenewed({ id, lease_until: until }: LeasedRun): boolean {
    const lease = seen.get(id)
    return lease?.until === until && clock.now() - lease.since >= SEEN_MS
  }

  /** Ends a run that is due, whichever process executes it. */
  async function endWhere(runId: string, isDue: (run: LeasedRun) => boolean): Promise<void> {
    if (!(await db.batch((prepare) => endForOwner(prepare, platform, { runId, isDue })))) return
    executions.get(runId)?.abandon()
    onChanged(runId)
  }

  async function claimWhileFree(): Promise<void> {
    while (executions.size < MOST_AT_ONCE && !isStopped && (await isAnyQueued())) {
      const run = await db.batch((prepare) => claimRun(prepare, platform))
      if (run === undefined) return
      onChanged(run.id)
      const execution = executeRun({ ...options, run, onEnded: () => onEnded(execution) })
      executions.set(run.id, execution)
    }
  }

  /** Asked before the claim: a read waits for no lock. */
  async function isAnyQueued(): Promise<boolean> {
    const queued = db.read.selectFrom('agent_run').select('seq').where('state', '=', 'AGENT_RUN_STATE_QUEUED')
    return (await queued.limit(1).executeTakeFirst()) !== undefined
  }

  function onEnded(execution: Execution): void {
    executions.delete(execution.lease.runId)
    if (!isStopped) look()
  }

  function warn(thrown: unknown): void {
    if (isStopped) return
    log?.({ level: 'warn', message: 'looking for agent runs failed', where: 'agents', error: stackText(thrown) })
  }

  return {
    begin: () => void (cancelNext = clock.after(FIRST_LOOK_MS, look)),
    queued() {
      if (!isStopped) look()
    },
    cancelled(runId) {
      onChanged(runId)
      executions.get(runId)?.cancel()
      if (isStopped) return
      const stopTimer = clock.after(CANCEL_GRACE_MS, () => {
        timers.delete(stopTimer)
        endWhere(runId, ({ state }) => state === 'AGENT_RUN_STATE_CANCELLING').catch(warn)
      })
      timers.add(stopTimer)
    },
    async stop() {
      isStopped = true
      cancelNext()
      for (const stopTimer of timers) stopTimer()
      await looking
      await Promise.all(Array.from(executions.values(), (execution) => execution.requeue()))
    },
  }
}
