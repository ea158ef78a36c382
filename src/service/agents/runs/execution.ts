import type { Clock } from '../../../lib/clock.ts'
import { stackText } from '../../../lib/stack.ts'
import type { Log } from '../../shared/log.ts'
import type { RunEnd } from './end.ts'
import { requeueRun, type Lease } from './lease.ts'
import { performRun, type PerformOptions } from './perform.ts'
import { RunStopped } from './report.ts'
import { settleRun, toFailed, toSucceeded, toTimedOut } from './settle.ts'

export interface ExecutionOptions extends Omit<PerformOptions, 'signal'> {
  clock: Clock
  log?: Log | undefined
  /** Called once, when this process has nothing more to do for the run. */
  onEnded: () => void
}

/** A run that this process executes. */
export interface Execution {
  readonly lease: Lease
  /** Ends the run at its next checkpoint. */
  cancel(): void
  /** Stops working on the run, which another process has ended. */
  abandon(): void
  /** Queues the run again and stops working on it. */
  requeue(): Promise<void>
}

/** Executes a leased run and writes its end. */
export function executeRun(options: ExecutionOptions): Execution {
  const { db, platform, clock, run, onChanged } = options
  const lease: Lease = { runId: run.id, fence: run.lease_fence }
  const stopping = new AbortController()
  const { signal } = stopping
  const stopTimer = clock.after(run.timeout_seconds * 1000, () => void timeOut())
  let hasEnded = false

  /** Stops working on the run. Its type may go on until its next checkpoint, but cannot write any more. */
  function release(): void {
    if (hasEnded) return
    hasEnded = true
    stopTimer()
    stopping.abort()
    onChanged(run.id)
    options.onEnded()
  }

  async function conduct(): Promise<void> {
    try {
      const performed = await performRun({ ...options, signal })
      await settleRun(options, lease, (transaction) => toSucceeded(performed, transaction))
    } catch (thrown) {
      await settleRun(options, lease, hasToStop(thrown) ? undefined : () => fail(thrown))
    }
  }

  function hasToStop(thrown: unknown): boolean {
    return signal.aborted || thrown instanceof RunStopped
  }

  function fail(thrown: unknown): Promise<RunEnd> {
    const end = toFailed(thrown)
    if (end.code === 'INTERNAL') warn(thrown)
    return Promise.resolve(end)
  }

  /** Logs a failure. A run whose end could not be written fails when its lease expires. */
  function warn(thrown: unknown): void {
    if (hasEnded) return
    const where = `agent run ${run.id} of type ${run.agent_type_id}`
    options.log?.({ level: 'error', message: 'an agent run failed unexpectedly', where, error: stackText(thrown) })
  }

  async function timeOut(): Promise<void> {
    await settleRun(options, lease, () => Promise.resolve(toTimedOut(run.timeout_seconds))).catch(warn)
    release()
  }

  void conduct().catch(warn).finally(release)
  return {
    lease,
    cancel: () => stopping.abort(),
    abandon: release,
    async requeue() {
      await db.batch((prepare) => requeueRun(prepare, platform, lease)).catch(warn)
      release()
    },
  }
}
