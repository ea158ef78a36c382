import type { ReceivedResult } from '../../../src/client/api.ts'
import type { ResultOf } from '../../../src/contract/index.ts'
import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import type { AgentRun } from '../../../src/mcp/resolve/types.ts'
import { untrustedNumber } from '../../../src/mcp/text/untrusted.ts'
import { isOver, stateWord } from './states.ts'

type Streamed = ReceivedResult<ResultOf<'streamAgentRunEvents'>>

/** Between two reads of a run where the deployment offers no stream. */
const POLL_MS = 1_000
/** Seconds of silence after which the deployment shows that the stream is alive. */
const HEARTBEAT_SECONDS = 15

/**
 * The run once it has ended, or after so many seconds as it stands then. Follows its stream and reports its progress;
 * reads the run every second where the stream fails.
 */
export async function followRun(run: AgentRun, seconds: number, context: Context): Promise<AgentRun> {
  if (seconds === 0 || isOver(run)) return run
  const limit = context.wait(seconds * 1000)
  if (await hasStreamedToEnd(run, limit, context)) return readRun(run.id, context)
  return pollRun(run, limit, context)
}

/** True at the end of the run or of the time; false where the stream ended before both. */
async function hasStreamedToEnd(run: AgentRun, limit: AbortSignal, context: Context): Promise<boolean> {
  const { api, signal } = context
  const request = { run_id: run.id, after_sequence: run.last_sequence ?? 0, heartbeat: HEARTBEAT_SECONDS }
  try {
    for await (const item of api.streamAgentRunEvents(request, { signal: limit })) {
      if (isLast(item)) return true
      report(item, context)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!limit.aborted && !(error instanceof ServiceError)) throw error
  }
  return limit.aborted
}

function isLast({ event, resync }: Streamed): boolean {
  return (
    event?.type === 'AGENT_RUN_EVENT_TYPE_COMPLETED' || (resync?.agent_run !== undefined && isOver(resync.agent_run))
  )
}

function report({ event }: Streamed, context: Context): void {
  const { sequence, type, data } = event ?? {}
  if (sequence === undefined || type !== 'AGENT_RUN_EVENT_TYPE_PROGRESS') return
  const done = untrustedNumber(data, 'done') ?? 0
  const total = untrustedNumber(data, 'total')
  // A phase counts from 0 again, and the values of progress have to grow: the numbers of events do.
  context.progress({
    done: sequence,
    total: undefined,
    message: total ? `${String(done)} of ${String(total)}` : String(done),
  })
}

async function pollRun(run: AgentRun, limit: AbortSignal, context: Context): Promise<AgentRun> {
  let last = run
  while (!limit.aborted && !isOver(last)) {
    await ended(context.wait(POLL_MS))
    last = await readRun(run.id, context)
    const { last_sequence: done = 0, state } = last
    if (!isOver(last)) context.progress({ done, total: undefined, message: stateWord(state) ?? 'waiting' })
  }
  return last
}

/** Resolves when the signal aborts. */
function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function readRun(id: string, { api, signal }: Context): Promise<AgentRun> {
  return (await api.getAgentRun({ id }, { signal })).agent_run
}
