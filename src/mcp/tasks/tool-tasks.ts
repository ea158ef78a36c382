import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { ServiceError } from '../../errors.ts'
import { tryWith, type CallFacts } from '../call/call-tool.ts'
import { renderOutcome, toolResult, type CallOutcome } from '../call/outcome.ts'
import type { Context, Tool, ToolTask } from '../define/define.ts'
import type { Listing } from '../surface/listing.ts'
import { taskHead } from '../call/started-task.ts'
import type { Task, Tasks } from './task.ts'

/** A tool whose calls start tasks. */
type Starter = Tool & { task: ToolTask }

/**
 * The tasks that calls of the listed tools started; undefined when no listed tool starts any. Nothing is stored: a task is
 * read from the service with the caller's token, so that any process can answer.
 */
export function createToolTasks(listing: Listing, facts: CallFacts): Tasks | undefined {
  const starters = listing.tools.flatMap(({ tool }) => (isStarter(tool) ? [tool] : []))
  if (starters.length === 0) return undefined

  /** Runs the work for the tool whose call started the task; undefined for an unknown task. */
  async function find(
    name: string,
    signal: AbortSignal,
    run: (starter: Starter, context: Context) => Promise<CallOutcome>,
  ): Promise<CallOutcome | undefined> {
    for (const starter of starters) {
      const outcome = await tryWith(starter, { listing, facts, signal, name }, (context) => run(starter, context))
      if (outcome.error === undefined) return outcome
      if (!isUnknown(outcome.error)) throw new ProtocolError(ProtocolErrorCode.InternalError, outcome.text)
    }
    return undefined
  }
  async function read(starter: Starter, taskId: string, context: Context): Promise<CallOutcome> {
    const reading = await starter.task.read(taskId, context)
    const task = taskHead(starter.task, taskId, reading)
    if (reading.status !== 'completed') return { ...nothing, task }
    const pinned = facts.options.product !== undefined
    const rendered = await renderOutcome(starter, await reading.answer(), {
      offers: listing.offers,
      pinned,
      limits: { cuts: starter.cuts ?? [], wide: false },
    })
    return { ...rendered, task, isError: reading.isError }
  }
  async function cancel(starter: Starter, taskId: string, context: Context): Promise<CallOutcome> {
    const { status } = await starter.task.read(taskId, context)
    if (status === 'working') await starter.task.cancel(taskId, context)
    return nothing
  }

  return {
    async get(taskId, signal) {
      const outcome = await find('tasks/get', signal, (starter, context) => read(starter, taskId, context))
      return outcome && detailed(outcome)
    },
    // These tasks ask nothing. The extension says that unexpected answers are ignored.
    async update(taskId, _answers, signal) {
      const outcome = await find('tasks/update', signal, async ({ task }, context) => {
        await task.read(taskId, context)
        return nothing
      })
      return outcome !== undefined
    },
    async cancel(taskId, signal) {
      const outcome = await find('tasks/cancel', signal, (starter, context) => cancel(starter, taskId, context))
      return outcome !== undefined
    },
  }
}

const nothing: CallOutcome = { text: '', _meta: { 'tracegate/integrity': 'trusted' } }

function isStarter(tool: Tool): tool is Starter {
  return tool.task !== undefined
}

/** Whether the task does not exist, belongs to another caller, or has an id of the wrong form. */
function isUnknown(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'not_found' || error.code === 'invalid_argument')
}

/** The task with the result of the call, once it has one. */
function detailed({ task, ...outcome }: CallOutcome): Task | undefined {
  if (task === undefined) return undefined
  const { status, ...facts } = task
  return status === 'completed'
    ? { ...facts, status, result: { resultType: 'complete', ...toolResult(outcome) } }
    : { ...facts, status }
}
