import { CompiledQuery, type Selectable } from 'kysely'
import type * as z from 'zod'
import { Level } from '../../../../contract/base/common.ts'
import type { Event, EventSummary } from '../../../../contract/events.ts'
import { letOthersRun } from '../../../../lib/turns-of-others.ts'
import { isKnownEnvironment, type RecordOrigin } from '../../../workspace/releases/rules.ts'
import type { Rows } from '../../../sql/database.ts'
import type { OccurrenceRow, ProductRow } from '../../../sql/schema.ts'
import type { EventSymbolicator } from '../../../shared/event-symbolicator.ts'
import { createTruncationNotes, type NoteTruncation } from '../../../shared/truncation-notes.ts'
import type { StoredEvent } from '../bodies/body.ts'
import { createBodyReader } from '../bodies/read.ts'
import { Summary } from '../columns.ts'
import { cutFrames } from './cut-frames.ts'
import { locateFrames, withoutSigns } from './located-frames.ts'
import { timestamp } from '../../../shared/times.ts'
import {
  placeNames,
  type EnvironmentName,
  type PlaceNames,
  type ReleaseName,
} from '../../../workspace/releases/names.ts'
import { applySourceMaps } from '../symbolication.ts'
import { readJson } from '../../../sql/json.ts'

export type SummaryBody = z.input<typeof EventSummary>
export type EventBody = z.input<typeof Event>
/** A row of `occurrence` with its place. */
export type StoredOccurrence = Selectable<OccurrenceRow> & { environment_id: string; release_id: string }
/** The columns that a summary needs. */
export type ListedOccurrence = Pick<
  StoredOccurrence,
  | 'id'
  | 'issue_id'
  | 'sdk_event_id'
  | 'timestamp'
  | 'received_at'
  | 'environment_id'
  | 'release_id'
  | 'user_hash'
  | 'summary'
>

const byEvent = 'ORIGIN_EVENT' satisfies RecordOrigin

/** Rows as the contract's summaries, in the same order. */
export function viewSummaries(rows: Rows, occurrences: readonly ListedOccurrence[]): Promise<SummaryBody[]> {
  return createSummaryViewer(rows)(occurrences)
}

/** The same for a list that is viewed in parts: names and equal summaries are read once for all parts. */
export function createSummaryViewer(rows: Rows): (occurrences: readonly ListedOccurrence[]) => Promise<SummaryBody[]> {
  const environments = new Map<string, EnvironmentName>()
  const releases = new Map<string, ReleaseName>()
  // Most occurrences of an issue have the same text.
  const read = new Map<string, StoredSummary>()
  return async (occurrences) => {
    const unknown = occurrences.filter((row) => !environments.has(row.environment_id) || !releases.has(row.release_id))
    const names = await placeNames(rows, unknown)
    for (const [id, name] of names.environments) environments.set(id, name)
    for (const [id, name] of names.releases) releases.set(id, name)
    return occurrences.map((occurrence) => {
      const summary = read.get(occurrence.summary) ?? readSummary(occurrence.summary)
      read.set(occurrence.summary, summary)
      return viewSummary(occurrence, summary, { environments, releases })
    })
  }
}

export interface EventOptions {
  symbolicator: EventSymbolicator
  product: Pick<ProductRow, 'repository'> & { id: number }
  /** Frames kept per stack. */
  maxFrames: number
  includeRaw: boolean
}

/**
 * The whole occurrence with the ids of its neighbours and with the current source maps applied: frames with their
 * source position, their role in the grouping, their file in the repository and its component. If retention has removed
 * the body: the members that the summary holds, and a truncation signal.
 */
export async function viewEvent(rows: Rows, occurrence: StoredOccurrence, options: EventOptions): Promise<EventBody> {
  const { product, maxFrames, includeRaw } = options
  const { body } = occurrence
  // A server answers them at the same time.
  const [names, neighbours, stored] = await Promise.all([
    placeNames(rows, [occurrence]),
    readNeighbours(rows, occurrence),
    body === null ? undefined : createBodyReader(rows)({ ...occurrence, body }),
  ])
  const summary = viewSummary(occurrence, readSummary(occurrence.summary), names)
  const sent = stored?.event ?? emptyEvent(summary)
  const pause = () => pauseIfLarge(occurrence)
  await pause()
  const { event, symbolication } = await applySourceMaps(options.symbolicator, occurrence.product_id, sent, pause)
  await pause()
  const { note, list } = createTruncationNotes()
  if (stored === undefined) note('event.body', 'retention', 0, 1)
  const located = await locateFrames(rows, event, cutStacks(event, maxFrames, note), product)
  await pause()
  return {
    ...withoutSigns(located.event),
    ...summary,
    // The summary holds the state at the time the event was received.
    symbolication_state: stored === undefined ? summary.symbolication_state : symbolication.state,
    product_id: String(occurrence.product_id),
    frame_order: 'caller_first',
    symbolication,
    component: located.component,
    ...neighbours,
    size_bytes: occurrence.size_bytes,
    raw_payload: includeRaw && stored !== undefined ? stored.readRaw() : null,
    truncation_signals: [...event.truncation_signals, ...list()],
  }
}

/** Reading a larger event takes more than a few milliseconds in each of its steps. */
const LARGE_BYTES = 200_000

/** Lets others run between two steps of reading a large event (decision 011). */
export async function pauseIfLarge({ size_bytes: size }: Pick<StoredOccurrence, 'size_bytes'>): Promise<void> {
  if (size > LARGE_BYTES) await letOthersRun()
}

type StoredSummary = ReturnType<typeof readSummary>

function readSummary(text: string) {
  const summary = readJson(Summary, text)
  return { ...summary, level: Level.parse(summary.level) }
}

function viewSummary(
  occurrence: ListedOccurrence,
  summary: StoredSummary,
  { environments, releases }: PlaceNames,
): SummaryBody {
  // An environment without a row is still known if it has a usual name.
  const unlisted = { name: summary.environment, origin: byEvent }
  return {
    ...summary,
    id: occurrence.id,
    sdk_event_id: occurrence.sdk_event_id,
    issue_id: occurrence.issue_id,
    timestamp: timestamp(occurrence.timestamp),
    received_at: timestamp(occurrence.received_at),
    environment_id: occurrence.environment_id,
    environment_known: environments.get(occurrence.environment_id)?.known ?? isKnownEnvironment(unlisted),
    release_id: occurrence.release_id,
    release_known: releases.get(occurrence.release_id)?.known ?? false,
    user_hash: occurrence.user_hash,
  }
}

/** The event with at most `max` frames per stack; the cuts are noted. */
function cutStacks(event: StoredEvent, max: number, note: NoteTruncation): StoredEvent {
  return {
    ...event,
    exceptions: event.exceptions.map((exception, index) => ({
      ...exception,
      frames: cutFrames(exception.frames, max, `exceptions[${index}].frames`, note),
    })),
    threads: event.threads.map((thread, index) => ({
      ...thread,
      frames: cutFrames(thread.frames, max, `threads[${index}].frames`, note),
    })),
  }
}

const NEIGHBOURS = `SELECT
  (SELECT id FROM occurrence WHERE issue_id = ?1 AND (timestamp, seq) < (?2, ?3)
   ORDER BY timestamp DESC, seq DESC LIMIT 1) AS previous,
  (SELECT id FROM occurrence WHERE issue_id = ?1 AND (timestamp, seq) > (?2, ?3)
   ORDER BY timestamp, seq LIMIT 1) AS next`

/** The ids of the previous and the next occurrence by time, '' at the ends. */
async function readNeighbours(rows: Rows, { issue_id, timestamp, seq }: StoredOccurrence) {
  const query = CompiledQuery.raw(NEIGHBOURS, [issue_id, timestamp, seq])
  const [found] = (await rows.executeQuery(query)).rows as { previous: string | null; next: string | null }[]
  return { previous_event_id: found?.previous ?? '', next_event_id: found?.next ?? '' }
}

/** An event without its body: every member is empty except those that the summary overwrites. */
function emptyEvent(summary: SummaryBody): StoredEvent {
  const { sdk_event_id, level, platform, environment, release, dist, message, transaction, server_name, handled } =
    summary
  return {
    sdk_event_id,
    level,
    platform,
    environment,
    release,
    dist,
    message,
    transaction,
    server_name,
    handled,
    timestamp: Date.parse(summary.timestamp),
    received_at: Date.parse(summary.received_at),
    user_hash: summary.user_hash,
    size_bytes: 0,
    logger: '',
    message_template: '',
    message_params: [],
    exceptions: [],
    threads: [],
    breadcrumbs: [],
    tags: [],
    user: { id: '', email: '', username: '', ip_address: '', geo: {} },
    request: { method: '', url: '', headers: {}, query_string: '' },
    contexts: {},
    extra: {},
    modules: {},
    sdk: { name: '', version: '' },
    fingerprint: [],
    debug_images: [],
    truncation_signals: [],
  }
}
