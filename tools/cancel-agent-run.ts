import * as z from 'zod'
import { AgentRun as RunSchema } from '../src/contract/agents.ts'
import { ServiceError } from '../src/errors.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { explainNotOffered } from '../src/mcp/resolve/offered.ts'
import type { AgentRun } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag, pick } from '../src/mcp/result/output.ts'
import { TeachingError } from '../src/mcp/result/teach.ts'
import { isOver, stateWord } from './support/agents/states.ts'
import { PREVIEW } from './support/words.ts'
import { ifReadable, mayBeDone, READ_BACK, unknownOutcome } from './support/writes/outcome.ts'

/** Seconds that the proposed call waits: a run ends soon after its cancellation. */
const WAIT_SECONDS = 5

export const cancelAgentRun = defineTool({
  name: 'cancel_agent_run',
  toolset: 'agents',
  // Cancelling a run twice does not change it further.
  effect: 'update',
  title: 'Cancel an agent run',
  description: 'Cancel (stop, abort, kill) a queued or running agent run, which ends at its next step.',
  input: z.strictObject({
    run: z.string().describe('Run id from start_agent_run.'),
    reason: parameters.named('Why; people see it.', z.string().trim().min(1).max(1000).optional()),
    dry_run: parameters.DryRun,
  }),
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['cancelled', 'cancelling', 'would_cancel', 'already', 'ended']),
    run: fields({ id: z.string(), ...pick(RunSchema, 'state'), type: RunSchema.shape.agent_type_id }),
  }),

  async run({ run: given, reason, dry_run: dryRun }, context) {
    const { run: before, product } = await context.resolve.agentRun(given, undefined)
    const { run, isReadBack } = dryRun ? { run: before, isReadBack: false } : await cancel(before, reason, context)
    const outcome = dryRun ? previewWord(before) : outcomeWord(before, run)
    return {
      answer: `${words[outcome]}${isReadBack ? READ_BACK : ''}`,
      product,
      data: {
        dry_run: dryRun,
        outcome,
        run: { ...run, type: run.agent_type_id },
      },
      next: [
        nextCall('get_agent_run', { run: run.id, ...(!isOver(run) && { wait_seconds: WAIT_SECONDS }) }, 'how it ended'),
      ],
    }
  },
})

const words = {
  cancelled: 'Cancelled the run.',
  cancelling: 'The run is being cancelled; it ends at its next step.',
  would_cancel: `${PREVIEW}would cancel the run.`,
  already: 'The run was cancelled already; nothing was changed.',
  ended: `${PREVIEW}the run has ended, so there is nothing to cancel.`,
} as const

function outcomeWord(before: AgentRun, run: AgentRun): keyof typeof words {
  if (isCancelled(before)) return 'already'
  return run.state === 'AGENT_RUN_STATE_CANCELLED' ? 'cancelled' : 'cancelling'
}

function previewWord(run: AgentRun): keyof typeof words {
  if (isCancelled(run)) return 'already'
  return isOver(run) ? 'ended' : 'would_cancel'
}

function isCancelled({ state }: AgentRun): boolean {
  return state === 'AGENT_RUN_STATE_CANCELLED' || state === 'AGENT_RUN_STATE_CANCELLING'
}

/** The run once its cancellation was asked for. Where the reply is lost, a read decides whether it was. */
async function cancel(run: AgentRun, reason: string | undefined, { api, signal }: Context) {
  const { id } = run
  try {
    const answer = await api.cancelAgentRun({ id, ...(reason !== undefined && { reason }) }, { signal })
    return { run: answer.agent_run, isReadBack: false }
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'RUN_FINISHED') throw finished(error, run)
    if (!mayBeDone(error)) {
      return explainNotOffered('the cancellation of runs', { hint: 'ask the user to cancel it in the web interface.' })(
        error,
      )
    }
    const read = await ifReadable(api.getAgentRun({ id }, { signal }))
    if (read !== undefined && isCancelled(read.agent_run)) return { run: read.agent_run, isReadBack: true }
    throw unknownOutcome(error, { next: nextCall('get_agent_run', { run: id }, 'its state') })
  }
}

function finished(error: ServiceError, run: AgentRun): TeachingError {
  const how = isOver(run) ? `: ${stateWord(run.state) ?? 'its state is not stated'}` : ''
  const { code, reason, metadata } = error
  return new TeachingError(
    code,
    `the run has ended already${how}`,
    { next: nextCall('get_agent_run', { run: run.id }, 'its result') },
    { reason, metadata, cause: error },
  )
}
