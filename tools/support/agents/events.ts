import type { ReceivedResult } from '../../../src/client/api.ts'
import type { ResultOf } from '../../../src/contract/index.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { everyPage } from '../../../src/mcp/resolve/requests.ts'
import type { AgentRun } from '../../../src/mcp/resolve/types.ts'
import { withoutPrefix } from '../../../src/mcp/result/present.ts'
import { isSameText, quoted, type BlockContent } from '../../../src/mcp/text/untrusted.ts'
import type { Kept } from '../cuts.ts'

type AgentEvent = ReceivedResult<ResultOf<'listAgentRunEvents'>>['events'][number]

/** How many of the newest events are read: most of them report progress. */
const WINDOW = 400

/** Types whose content is also in the state, progress and summary of the run. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(['STARTED', 'PROGRESS', 'COMPLETED'].map(eventType))
/** Findings are part of the output, once there is one. */
const FINDING = eventType('FINDING')

/** The newest events of a run. */
export interface Events {
  rows: AgentEvent[]
  kept: Kept
  /** Events up to this number are older than those that are read; 0 where all are read. */
  unread: number
  /** The number of the last event, of any type; undefined where none is stated. */
  last: number | undefined
}

/** The newest events after the one with the number `after`, oldest first, at most `limit`. */
export async function readEvents(
  run: AgentRun,
  { after, limit }: { after: number; limit: number },
  { api, signal }: Context,
): Promise<Events> {
  const from = Math.max(after, (run.last_sequence ?? 0) - WINDOW)
  const { rows: all } = await everyPage(
    (page) => api.listAgentRunEvents({ run_id: run.id, after_sequence: from, ...page }, { signal }),
    'events',
  )
  const hasOutput = run.output !== undefined && run.output !== null
  // A deployment that does not know the parameter sends all of them.
  const told = all
    .filter(({ sequence = Infinity }) => sequence > after)
    .filter(({ type = '' }) => !SAID_ELSEWHERE.has(type) && !(hasOutput && type === FINDING))
    .filter(({ message }) => run.error?.message === undefined || !isSameText(message, run.error.message))
  const rows = told.slice(-limit)
  const unread = from > after ? from : 0
  return {
    rows,
    kept: { shown: rows.length, total: told.length },
    unread,
    last: all.at(-1)?.sequence ?? run.last_sequence,
  }
}

/** Events as rows of the untrusted block. */
export function eventRows(events: readonly AgentEvent[]): BlockContent {
  return events.map(({ sequence, type, message, data }) => ({
    nr: sequence,
    type: withoutPrefix(type, eventType('')),
    message: message && quoted`${message}`,
    data: data && quoted`${data}`.cut(200),
  }))
}

function eventType(name: string): string {
  return `AGENT_RUN_EVENT_TYPE_${name}`
}
