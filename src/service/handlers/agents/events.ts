import { followRun, type FollowOptions } from '../../agents/events/follow.ts'
import { listRunEvents } from '../../agents/events/store.ts'
import { isActive } from '../../agents/runs/states.ts'
import { requireRun } from '../../agents/runs/store.ts'
import type { Handlers } from '../../shared/context.ts'
import { readPage } from '../../shared/paging.ts'

/** The parts that the streams of all runs share. */
export type FollowTools = Pick<FollowOptions, 'signals' | 'clock'>

/** Handlers of the events of agent runs. */
export function agentEventHandlers({ signals, clock }: FollowTools) {
  return {
    async listAgentRunEvents(input, call) {
      const { db, principal } = call
      const { run } = await requireRun(db.read, principal, input.run_id)
      const { after_sequence: afterSequence = 0, type: types = [] } = input
      return listRunEvents(db.read, { runId: run.id, afterSequence, types, page: readPage(call, input) })
    },

    async streamAgentRunEvents({ run_id: runId, after_sequence: afterSequence = 0 }, { db, principal }) {
      const { run } = await requireRun(db.read, principal, runId)
      if (!isActive(run.state) && afterSequence === run.last_sequence) return undefined
      return (signal) => followRun({ rows: db.read, principal, signals, clock, signal }, { runId, afterSequence })
    },
  } satisfies Handlers<'listAgentRunEvents' | 'streamAgentRunEvents'>
}
