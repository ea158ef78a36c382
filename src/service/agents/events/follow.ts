import type * as z from 'zod'
import type { streamAgentRunEvents } from '../../../contract/agents.ts'
import { placeAfterResync } from '../../../contract/base/endpoint.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Principal } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { isActive } from '../runs/states.ts'
import { requireRun } from '../runs/store.ts'
import { viewRun } from '../runs/view.ts'
import type { RunSignals } from './signals.ts'
import { firstSequence, readRunEvents, viewRunEvent } from './store.ts'

/** How often the database is read without a signal, for changes by other processes. */
const POLL_MS = 2000
const LONGEST_STREAM_MS = 30 * 60_000
/** The most events that are held in memory for a reader. */
const BATCH = 100

type Item = z.input<(typeof streamAgentRunEvents)['returns']>

export interface FollowOptions {
  rows: Rows
  principal: Principal
  signals: RunSignals
  clock: Clock
  /** Aborts when the reader leaves and when the service closes. */
  signal: AbortSignal
}

/**
 * The events of a run after a number, each once and in order: the stored ones, then each as it is committed. Ends after the
 * COMPLETED event, after 30 minutes and when the signal aborts. Gives one `resync` instead of events that are not stored and
 * continues with the first stored one. Throws `not_found` when the run is deleted in the meantime.
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
      const { run, events, gap } = await readNext(options, runId, place)
      if (gap !== undefined) {
        yield { resync: gap }
        place = placeAfterResync(gap.first_sequence, gap.last_sequence)
        continue
      }
      for (const event of events) {
        yield { event: viewRunEvent(event) }
        if (event.type === 'AGENT_RUN_EVENT_TYPE_COMPLETED' || isOver()) return
        place = event.sequence
      }
      if (events.length > 0) continue
      if (!isActive(run.state)) return
      await watch.next(POLL_MS, signal)
    }
  } finally {
    watch.stop()
  }
}

/** The run with its next events after a place, and the gap if the first of these are not stored. */
async function readNext({ rows, principal }: Pick<FollowOptions, 'rows' | 'principal'>, runId: string, place: number) {
  // The run is read first, so that each event up to its last_sequence is either found or no longer stored.
  const { run } = await requireRun(rows, principal, runId)
  const events = await readRunEvents(rows, { runId, afterSequence: place, limit: BATCH })
  const last = run.last_sequence
  const next = events[0]?.sequence
  if ((next ?? last + 1) === place + 1) return { run, events }
  const first = next ?? (place > last ? await firstSequence(rows, runId) : 0)
  const gap = { after_sequence: place, first_sequence: first, last_sequence: last, agent_run: viewRun(run) }
  return { run, events, gap }
}
