import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import type { ComparedEvent } from '../../../src/mcp/variation/index.ts'

/** As many as one answer of the service has. */
const READ_TOGETHER = 100
/** Requests for single occurrences. */
const READS_AT_ONCE = 8
/** Bytes of events as they were sent; most have a few thousand. */
const MOST_BYTES = 4_000_000
/** What is compared: in-app frames nearest to the crash come first, and the newest breadcrumbs. */
const compared = { max_frames: 12, max_breadcrumbs: 30 }

type Events = ReadonlyMap<string, ComparedEvent>

/** The reads of a call, by occurrence: a sample and a page of the same issue have occurrences in common. */
const reads = new WeakMap<Context, Map<string, Promise<Events>>>()

/**
 * The occurrences of an issue, in the order of their ids. What cannot be read before the signal aborts, or is beyond four
 * megabytes, is not among them.
 */
export async function readEvents(
  issueId: string,
  ids: readonly string[],
  context: Context,
  signal: AbortSignal,
): Promise<ComparedEvent[]> {
  const known = reads.get(context) ?? new Map<string, Promise<Events>>()
  reads.set(context, known)
  const missing = ids.filter((id) => !known.has(id))
  const read = readMissing(issueId, missing, context.api, signal)
  for (const id of missing) known.set(id, read)
  const events: ComparedEvent[] = []
  for (const id of ids) {
    const event = (await known.get(id))?.get(id)
    if (event !== undefined) events.push(event)
  }
  return events
}

/** Many with one request; one by one of a deployment that does not offer it. */
async function readMissing(
  issueId: string,
  ids: readonly string[],
  api: Context['api'],
  signal: AbortSignal,
): Promise<Events> {
  const events = new Map<string, ComparedEvent>()
  let left = ids
  while (left.length > 0 && totalBytes(events) < MOST_BYTES) {
    const asked = left.slice(0, READ_TOGETHER)
    const request = { id: issueId, event_ids: asked, ...compared }
    const answer = await unlessLate(signal, () => api.getIssueEvents(request, { signal }))
    const read = answer === undefined ? [] : placed(answer).filter(({ id }) => asked.includes(id))
    if (read.length === 0) return readSingly(issueId, left, { api, signal, events })
    for (const event of read) events.set(event.id, event)
    const unread = new Set(answer?.unread_ids)
    left = left.filter((id, place) => place >= asked.length || (unread.has(id) && !events.has(id)))
  }
  return events
}

type Answer = Awaited<ReturnType<Context['api']['getIssueEvents']>>

/**
 * The occurrences with the frames and breadcrumbs that they name; none of an answer without these. A deployment may take
 * the request for one of its list.
 */
function placed({ events, frames: allFrames, breadcrumbs: allCrumbs }: Answer): ComparedEvent[] {
  if (allFrames === undefined || allCrumbs === undefined) return []
  return events.map(({ exceptions = [], breadcrumbs = [], ...event }) => ({
    ...event,
    exceptions: exceptions.map(({ frames = [], ...exception }) => ({
      ...exception,
      frames: atPlaces(allFrames, frames),
    })),
    breadcrumbs: atPlaces(allCrumbs, breadcrumbs),
  }))
}

function atPlaces<T>(list: readonly T[], places: readonly number[]): T[] {
  return places.flatMap((place) => list[place] ?? [])
}

interface SingleReads {
  api: Context['api']
  signal: AbortSignal
  /** Those that were read before. */
  events: Map<string, ComparedEvent>
}

/** Several at a time, until there are four megabytes. */
async function readSingly(issueId: string, ids: readonly string[], { api, signal, events }: SingleReads) {
  const { max_frames } = compared
  const read = (id: string) =>
    unlessLate(signal, () => api.getIssueEvent({ id: issueId, event_id: id, max_frames }, { signal }))
  for (let start = 0; start < ids.length && totalBytes(events) < MOST_BYTES; start += READS_AT_ONCE) {
    const step = await Promise.all(ids.slice(start, start + READS_AT_ONCE).map(read))
    for (const answer of step) if (answer !== undefined) events.set(answer.event.id, answer.event)
  }
  return events
}

function totalBytes(events: Events): number {
  return events.values().reduce((sum, { size_bytes: bytes = 0 }) => sum + bytes, 0)
}

/** A comparison is worth having without what failed or came too late. */
export async function unlessLate<T>(signal: AbortSignal, read: () => Promise<T>): Promise<T | undefined> {
  if (signal.aborted) return undefined
  try {
    return await read()
  } catch (error) {
    const isLate = error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name)
    if (isLate || error instanceof ServiceError) return undefined
    throw error
  }
}
