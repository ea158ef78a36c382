import type { EndpointName } from '../../contract/index.ts'
import type { Call } from '../shared/context.ts'
import type { EventSymbolicator } from '../shared/event-symbolicator.ts'
import { rememberedText, type TimedText } from '../sql/remembered.ts'

/**
 * What most tool calls begin with, to find what their arguments name, and what an agent asks for repeatedly while it fixes an
 * issue. The answers depend on what is stored, the request and who asks, and on the time only as their handlers say
 * with `changesAt`.
 */
const rememberedEndpoints: ReadonlySet<EndpointName> = new Set([
  'listWorkspaces',
  'listProducts',
  'listIssues',
  'listReleaseIssues',
  'listEnvironments',
  'listComponents',
  'listReleases',
  'listIssueEvents',
  'getIssueEvents',
  'getIssue',
  'getFixContext',
])

/**
 * How long an answer holds that source maps were applied to: a table that could not be fetched then may be there now, and an
 * upload of another process may have been completed or removed without a trace that `look` sees.
 */
const MAPPED_MS = 60_000

/**
 * The answer of a read as JSON. That of an endpoint which is asked often is made once for each committed state of the
 * database, request and caller (decision 074), so that what was just written is in the next answer.
 */
export function rememberedAnswer(call: Call, input: unknown, answer: (call: Call) => Promise<string>): Promise<string> {
  const { db, endpoint, origin, principal } = call
  if (!rememberedEndpoints.has(endpoint)) return answer(call)
  const key = JSON.stringify([endpoint, origin, principal.userId, principal.workspaceIds, input])
  const now = call.now()
  return rememberedText(db.read, key, { now, compute: () => timedAnswer(call, now, answer) })
}

/** The answer at one time, and how long it holds. */
async function timedAnswer(call: Call, now: number, answer: (call: Call) => Promise<string>): Promise<TimedText> {
  let until = Infinity
  const changesAt = (time: number) => {
    until = Math.min(until, time)
  }
  const symbolicator = lookingFirst(call.symbolicator, () => changesAt(now + MAPPED_MS))
  const text = await answer({ ...call, now: () => now, changesAt, symbolicator })
  return { text, madeAt: now, until }
}

/** Applies the source maps of the committed state that the answer is remembered for, and none of before. */
function lookingFirst(symbolicator: EventSymbolicator, onUse: () => void): EventSymbolicator {
  let looked: Promise<void> | undefined
  return {
    async symbolicate(productId, event) {
      onUse()
      await (looked ??= symbolicator.look?.())
      return symbolicator.symbolicate(productId, event)
    },
  }
}
