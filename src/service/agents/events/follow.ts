import type * as z from 'zod'
import type { streamAgentRunEvents } from '../../../contract/agents.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Principal } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { isActive } from '../runs/states.ts'
import { requireRun } from '../runs/store.ts'
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
  options: FollowOptions,
  { runId, afterSequence }: { runId: string; afterSequence: number },
): AsyncGenerator<Item, void> {
  const { signals, clock, signal } = options
  const endsAt = clock.now() + LONGEST_STREAM_MS
  const isOver = () => signal.aborted || clock.now() >= endsAt
  const watch = signals.watch(runId)
  let place = afterSequence
  try {
    while (!isOver()) {
      const { run, events, gap } = await look(options, runId, place)
      if (gap !== undefined) {
        yield { resync: gap }
        place = gap.first_sequence === 0 ? gap.last_sequence : gap.first_sequence - 1
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

/** The run with its next events after a place, or with the gap where those are not stored. */
async function look({ rows, principal }: Pick<FollowOptions, 'rows' | 'principal'>, runId: string, place: number) {
  // The run first: an event that it counts is either found or not stored.
  const { run } = await requireRun(rows, principal, runId)
  const events = await readRunEvents(rows, { runId, afterSequence: place, limit: BATCH })
  const last = run.last_sequence
  const next = events[0]?.sequence
  if ((next ?? last + 1) === place + 1) return { run, events }
  const first = next ?? (place > last ? await firstSequence(rows, runId) : 0)
  const gap = { after_sequence: place, first_sequence: first, last_sequence: last, agent_run: viewRun(run) }
  return { run, events, gap }
}
