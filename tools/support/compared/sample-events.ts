import type { Context } from '../../../src/mcp/define/define.ts'
import { MOST_ROWS } from '../../../src/mcp/result/page.ts'
import { spreadOccurrences, type ComparedEvent } from '../../../src/mcp/variation/index.ts'
import { readEvents, unlessLate } from './read-events.ts'

/** Occurrences of a sample. */
const SAMPLE = 100
/** Occurrences that it is chosen from: one page of the newest, and some of each release that is not among them. */
const NEWEST = 200
const OF_A_RELEASE = 10
const RELEASES = 4
const LONGEST_MS = 3_000

export interface SampledIssue {
  id: string
  releases?: readonly { id: string }[] | undefined
}

export interface EventSample {
  events: ComparedEvent[]
  /** The newest occurrences, read or not. */
  newest: readonly { id: string }[]
  /** Chosen occurrences that were not read: they failed, came too late or were too large. */
  unread: number
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
  // A single occurrence cannot be compared.
  const chosen = known.length < 2 ? [] : spreadOccurrences(known, SAMPLE)
  const ids = chosen.map((row) => row.id)
  const events = await readEvents(id, ids, context, signal)
  return { events, newest, unread: chosen.length - events.length }
}

/**
 * The first 50 occurrences of a page in full, by id; what cannot be read within three seconds, or is beyond four megabytes,
 * is not among them.
 */
export async function readEventsInFull(
  issueId: string,
  page: readonly EventRow[],
  context: Context,
): Promise<ReadonlyMap<string, ComparedEvent>> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(LONGEST_MS)])
  // A deployment may send more rows than it was asked for.
  const ids = page.slice(0, MOST_ROWS).map((row) => row.id)
  const events = await readEvents(issueId, ids, context, signal)
  return new Map(events.map((event) => [event.id, event]))
}

async function listRows(
  query: Parameters<Context['api']['listIssueEvents']>[0],
  api: Context['api'],
  signal: AbortSignal,
): Promise<EventRow[]> {
  return (await unlessLate(signal, () => api.listIssueEvents(query, { signal })))?.events ?? []
}
