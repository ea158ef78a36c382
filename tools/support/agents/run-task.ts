import { AGENT_RUN_DAYS } from '../../../src/contract/agents.ts'
import { ServiceError } from '../../../src/errors.ts'
import type { TaskReading, ToolTask } from '../../../src/mcp/define/define.ts'
import type { AgentRun } from '../../../src/mcp/resolve/types.ts'
import { USUAL_ROWS } from '../../../src/mcp/result/page.ts'
import type { runOutput } from './run-output.ts'
import { showRun } from './show-run.ts'
import { isOver, stateSentence } from './states.ts'

/** A run as the task of the call that started it (mcp §10.1). */
export const runTask: ToolTask<typeof runOutput> = {
  // Most runs end within seconds, and each read takes several requests.
  pollIntervalMs: 2_000,
  ttlMs: AGENT_RUN_DAYS * 24 * 60 * 60 * 1000,
  started: ({ data }) => data.run?.id,
  async read(id, context) {
    const { run, product } = await context.resolve.agentRun(id, undefined)
    const facts = { ...times(run), message: `The run${stateSentence(run)}` }
    if (!isOver(run)) return { ...facts, status: 'working' }
    if (run.state === 'AGENT_RUN_STATE_CANCELLED') return { ...facts, status: 'cancelled' }
    const answer = () => showRun({ run, product, limit: USUAL_ROWS }, context)
    return { ...facts, status: 'completed', answer, isError: isFailed(run) }
  },
  async cancel(id, { api, signal }) {
    await api.cancelAgentRun({ id }, { signal }).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.reason !== 'RUN_FINISHED') throw error
    })
  },
}

function isFailed({ state }: AgentRun): boolean {
  return state === 'AGENT_RUN_STATE_FAILED' || state === 'AGENT_RUN_STATE_TIMED_OUT'
}

/** When a run was created, and the last change that has a time. */
function times(run: AgentRun): Pick<TaskReading, 'createdAt' | 'updatedAt'> {
  const { created_at: createdAt, started_at: started, cancel_requested_at: cancelled, finished_at: finished } = run
  if (createdAt === undefined) {
    throw new ServiceError('upstream_shape_unknown', 'the deployment does not say when the run was created')
  }
  return { createdAt, updatedAt: finished ?? cancelled ?? started ?? createdAt }
}
