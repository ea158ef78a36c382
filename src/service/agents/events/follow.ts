import type * as z from 'zod'
import type { streamAgentRunEvents } from '../../../contract/agents.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Principal } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { isActive } from '../runs/states.ts'
import { requireRun, type StoredRun } from '../runs/store.ts'
import { viewRun } from '../runs/view.ts'
import type { RunSignals } from './signals.ts'
import { firstSequence, readRunEvents, viewRunEvent } from './store.ts'

/** How long to wait for a signal: another process that writes to the same database gives none. */
const LONGEST_WAIT_MS = 2000
const LONGEST_STREAM_MS = 30 * 60_000
/** What is held in memory for a reader, however slow. */
const BATCH = 100

type Item = z.input<(typeof streamAgentRunEvents)['returns']>

export interface FollowOptions {
  rows: Rows
  principal: Principal
  signals: RunSignals
  clock: Clock
  /** The reader has left, or the service closes. */
  signal: AbortSignal
}

/**
 * The events of a run after a number, those that are stored and then each as it is committed, in order and once. Ends
 * after the COMPLETED event, after 30 minutes and when the signal aborts. One `resync` comes in place of events that are
 * not stored; the next event is then the first that is. Throws `not_found` for a run that is deleted meanwhile.
 */
export async function* followRun(
  { rows, principal, signals, clock, signal }: FollowOptions,
  { runId, afterSequence }: { runId: string; afterSequence: number },
): AsyncGenerator<Item, void> {
  const endsAt = clock.now() + LONGEST_STREAM_MS
  const isOver = () => signal.aborted || clock.now() >= endsAt
  const watch = signals.watch(runId)
  let place = afterSequence
  try {
    while (!isOver()) {
      // The run first: an event that it counts is either found or not stored.
      const { run } = await requireRun(rows, principal, runId)
      const events = await readRunEvents(rows, { runId, afterSequence: place, limit: BATCH })
      if ((events[0]?.sequence ?? run.last_sequence + 1) !== place + 1) {
        const first = events[0]?.sequence ?? (place > run.last_sequence ? await firstSequence(rows, runId) : 0)
        yield { resync: viewResync(run, place, first) }
        place = first === 0 ? run.last_sequence : first - 1
        continue
      }
      for (const event of events) {
        yield { event: viewRunEvent(event) }
        if (event.type === 'AGENT_RUN_EVENT_TYPE_COMPLETED' || isOver()) return
        place = event.sequence
      }
      if (events.length > 0) continue
      if (!isActive(run.state)) return
      await watch.next(LONGEST_WAIT_MS, signal)
    }
  } finally {
    watch.stop()
  }
}

function viewResync(run: StoredRun, after: number, first: number): Item['resync'] {
  return { after_sequence: after, first_sequence: first, last_sequence: run.last_sequence, agent_run: viewRun(run) }
}
