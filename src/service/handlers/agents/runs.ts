import type { AgentDefinition } from '../../agents/define.ts'
import { requireType } from '../../agents/configs/input.ts'
import { requireConfig } from '../../agents/configs/store.ts'
import { cancelRun } from '../../agents/runs/cancel.ts'
import { startRun } from '../../agents/runs/start.ts'
import { listRunRows, requireRun } from '../../agents/runs/store.ts'
import { viewRun } from '../../agents/runs/view.ts'
import type { Handlers } from '../../shared/context.ts'
import { readPage } from '../../shared/paging.ts'

export interface RunOptions {
  types: readonly AgentDefinition[]
  /** Called after the start of a run was committed. */
  onStarted: () => void
  /** Called after the cancellation of a run was committed. */
  onCancelled: (runId: string) => void
}

/** Handlers of agent runs, except for their events. */
export function agentRunHandlers({ types, onStarted, onCancelled }: RunOptions) {
  return {
    async startAgentRun({ agent_config_id: configId, input }, call) {
      const run = await call.db.write(async (rows) => {
        const { config } = await requireConfig(rows, call.principal, configId)
        return startRun(rows, call, { config, type: requireType(types, config.agent_type_id), input })
      })
      onStarted()
      return { agent_run: viewRun(run) }
    },

    async cancelAgentRun({ id, reason, etag }, call) {
      const run = await call.db.write(async (rows, prepare) => {
        const { run: before } = await requireRun(rows, call.principal, id)
        await cancelRun({ rows, prepare }, call, { run: before, reason, etag })
        return (await requireRun(rows, call.principal, id)).run
      })
      onCancelled(id)
      return { agent_run: viewRun(run) }
    },

    async getAgentRun({ id }, call) {
      const { run } = await requireRun(call.db.read, call.principal, id)
      return { agent_run: viewRun(run) }
    },

    async listAgentRuns(input, call) {
      const { db, principal } = call
      const { config } = await requireConfig(db.read, principal, input.agent_config_id)
      const query = { configId: config.id, state: input.state, page: readPage(call, input) }
      const { rows, paging } = await listRunRows(db.read, query)
      return { agent_runs: rows.map(viewRun), ...paging }
    },
  } satisfies Handlers<'startAgentRun' | 'cancelAgentRun' | 'getAgentRun' | 'listAgentRuns'>
}
