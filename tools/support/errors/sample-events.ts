import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { MOST_ROWS } from '../../../src/mcp/result/page.ts'
import { spreadOccurrences } from '../../../src/mcp/variation/index.ts'
import type { Event } from './events.ts'

/** Occurrences of a sample. */
const SAMPLE = 100
/** Occurrences that it is chosen from: one page of the newest, and some of each release that is not among them. */
const NEWEST = 200
const OF_A_RELEASE = 10
const RELEASES = 4
const READS_AT_ONCE = 8
/** In-app frames nearest to the crash come first. */
const FRAMES = 12
const LONGEST_MS = 3_000
/** Bytes of events as they were sent; most have a few thousand. */
const MOST_BYTES = 4_000_000

export interface SampledIssue {
  id: string
  times_seen?: number | undefined
  releases?: readonly { id: string }[] | undefined
}

export interface EventSample {
  events: Event[]
  /** The newest occurrences, read or not. */
  newest: readonly { id: string }[]
  /** Chosen occurrences that were not read: they failed, came too late or were too large. */
  unread: number
  /** All occurrences of the issue, as far as the deployment says. */
  total: number | undefined
}

export type EventRow = Awaited<ReturnType<Context['api']['listIssueEvents']>>['events'][number]

/**
 * Up to 100 occurrences of an issue in full, spread over releases, environments, messages and time. What cannot be read
 * within three seconds, or is beyond four megabytes, is not in it; the most different ones are read first.
 */
export async function sampleEvents(issue: SampledIssue, context: Context): Promise<EventSample> {
  const { id, releases = [] } = issue
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(LONGEST_MS)])
  const newest = await listRows({ id, page_size: NEWEST }, context.api, signal)
  const seen = new Set(newest.map((row) => row.release_id))
  const missing = releases.filter(({ id }) => !seen.has(id)).slice(0, RELEASES)
  const older = await Promise.all(
    missing.map((release) => listRows({ id, release_id: release.id, page_size: OF_A_RELEASE }, context.api, signal)),
  )
  const known = [...new Map([...newest, ...older.flat()].map((row) => [row.id, row])).values()]
  const chosen = spreadOccurrences(known, SAMPLE)
  const events = await readInFull(id, chosen, context, signal)
  return { events, newest, unread: chosen.length - events.length, total: issue.times_seen }
}

function totalBytes(events: readonly Event[]): number {
  return events.reduce((sum, { size_bytes: bytes = 0 }) => sum + bytes, 0)
}

/**
 * The first 50 occurrences of a page in full, by id; what cannot be read within three seconds, or is beyond four megabytes,
 * is not among them.
 */
export async function readEventsInFull(
  issueId: string,
  page: readonly EventRow[],
  context: Context,
): Promise<ReadonlyMap<string, Event>> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(LONGEST_MS)])
  // A deployment may send more rows than it was asked for.
  const events = await readInFull(issueId, page.slice(0, MOST_ROWS), context, signal)
  return new Map(events.map((event) => [event.id, event]))
}

/** Several at a time, until there are four megabytes. */
async function readInFull(issueId: string, rows: readonly EventRow[], context: Context, signal: AbortSignal) {
  const events: Event[] = []
  for (let start = 0; start < rows.length && totalBytes(events) < MOST_BYTES; start += READS_AT_ONCE) {
    const step = rows.slice(start, start + READS_AT_ONCE)
    const read = await Promise.all(step.map((row) => readOnce(issueId, row.id, context, signal)))
    events.push(...read.filter((event) => event !== undefined))
  }
  return events
}

async function listRows(
  query: Parameters<Context['api']['listIssueEvents']>[0],
  api: Context['api'],
  signal: AbortSignal,
): Promise<EventRow[]> {
  return (await unlessLate(signal, () => api.listIssueEvents(query, { signal })))?.events ?? []
}

/** The reads of a call: a sample and a page of the same issue have occurrences in common. */
const reads = new WeakMap<Context, Map<string, Promise<Event | undefined>>>()

function readOnce(issueId: string, id: string, context: Context, signal: AbortSignal): Promise<Event | undefined> {
  const known = reads.get(context) ?? new Map<string, Promise<Event | undefined>>()
  reads.set(context, known)
  const read = known.get(id) ?? readEvent(issueId, id, context.api, signal)
  known.set(id, read)
  return read
}

async function readEvent(id: string, eventId: string, api: Context['api'], signal: AbortSignal) {
  return (await unlessLate(signal, () => api.getIssueEvent({ id, event_id: eventId, max_frames: FRAMES }, { signal })))
    ?.event
}

/** A sample is worth having without what failed or came too late. */
async function unlessLate<T>(signal: AbortSignal, read: () => Promise<T>): Promise<T | undefined> {
  if (signal.aborted) return undefined
  try {
    return await read()
  } catch (error) {
    const isLate = error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name)
    if (isLate || error instanceof ServiceError) return undefined
    throw error
  }
}
