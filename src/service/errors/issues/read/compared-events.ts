import type * as z from 'zod'
import type { ComparedBreadcrumb, ComparedEvent, ComparedFrame } from '../../../../contract/events.ts'
import { letOthersRun } from '../../../../lib/turns-of-others.ts'
import type { EventSymbolicator } from '../../../shared/event-symbolicator.ts'
import type { Rows } from '../../../sql/database.ts'
import type { StoredEvent } from '../bodies/body.ts'
import { createIssuePartsReader, type EventParts } from '../bodies/parts.ts'
import { cutFrames } from './cut-frames.ts'
import { createSummaryViewer, pauseIfLarge, type StoredOccurrence, type SummaryBody } from './event-view.ts'
import { findOccurrences } from './occurrences.ts'

type ComparedBody = z.input<typeof ComparedEvent>

/** Bytes of the events of one answer, as they were sent. */
const MOST_BYTES = 1_000_000
/** Events whose bodies are in memory together. */
const STEP = 20

interface ComparedOptions {
  symbolicator: EventSymbolicator
  issueId: string
  ids: readonly string[]
  /** Frames kept per stack. */
  maxFrames: number
  maxBreadcrumbs: number
}

/**
 * Occurrences of an issue with what tells them apart, in the order of their ids, and the frames and breadcrumbs that they
 * name. Ids that the issue does not have are left out, and those beyond a megabyte are `unread_ids`; one at least is read.
 */
export async function viewComparedEvents(rows: Rows, { ids, ...options }: ComparedOptions) {
  const { issueId } = options
  const events: ComparedBody[] = []
  const { view, frames, breadcrumbs } = createViewer(rows, options)
  const viewSummaries = createSummaryViewer(rows)
  let bytes = 0
  for await (const found of findInSteps(rows, issueId, ids)) {
    const summaries = await viewSummaries(found)
    for (const [place, occurrence] of found.entries()) {
      if (bytes >= MOST_BYTES) return { events, unread_ids: ids.slice(ids.indexOf(occurrence.id)), frames, breadcrumbs }
      bytes += occurrence.size_bytes
      events.push(await view(occurrence, summaries[place]!))
      await pauseIfLarge(occurrence)
    }
    await letOthersRun()
  }
  return { events, unread_ids: [], frames, breadcrumbs }
}

/** Yields occurrences in steps. The next step is requested while the caller views this one, unless the limit of bytes is reached. */
async function* findInSteps(rows: Rows, issueId: string, ids: readonly string[]): AsyncGenerator<StoredOccurrence[]> {
  let bytes = 0
  let coming: Promise<StoredOccurrence[]> | undefined
  for (let from = 0; from < ids.length; from += STEP) {
    const found = await (coming ?? findOccurrences(rows, issueId, ids.slice(from, from + STEP)))
    bytes = found.reduce((sum, { size_bytes: size }) => sum + size, bytes)
    const next = ids.slice(from + STEP, from + 2 * STEP)
    coming = bytes < MOST_BYTES && next.length > 0 ? findOccurrences(rows, issueId, next) : undefined
    // Nobody waits for it when the reader stops.
    coming?.catch(() => undefined)
    yield found
  }
}

/** Views occurrences; what is the same in several of them is read and symbolicated once. */
function createViewer(rows: Rows, { symbolicator, issueId, maxFrames, maxBreadcrumbs }: Omit<ComparedOptions, 'ids'>) {
  const read = createIssuePartsReader(rows, issueId)
  const frames = createList<z.input<typeof ComparedFrame>>()
  const breadcrumbs = createList<z.input<typeof ComparedBreadcrumb>>()
  const stacks = new Map<EventParts['stacks'], Promise<ComparedBody['exceptions']>>()
  const crumbs = new Map<EventParts['breadcrumbs'], number[]>()

  /** With the source maps of today. Nothing is compared of threads. */
  async function symbolicate(productId: number, sent: EventParts['stacks']): Promise<ComparedBody['exceptions']> {
    const { event } = await symbolicator.symbolicate(productId, { ...sent, threads: [] })
    return event.exceptions.map(({ type, value, frames: all }) => ({
      type,
      value,
      frames: cutFrames(all, maxFrames, '', () => undefined).map((frame) => frames.place(comparedFrame(frame))),
    }))
  }

  function breadcrumbPlaces(sent: EventParts['breadcrumbs']): number[] {
    const newest = maxBreadcrumbs === 0 ? [] : sent.slice(-maxBreadcrumbs)
    return newest.map(({ category, level, message, data }) => breadcrumbs.place({ category, level, message, data }))
  }

  /** The event; only what the summary holds where retention has removed the body. */
  async function view(occurrence: StoredOccurrence, summary: SummaryBody): Promise<ComparedBody> {
    const { body, product_id: productId, size_bytes } = occurrence
    const parts = body === null ? undefined : await read({ ...occurrence, body })
    if (parts === undefined) return { ...summary, ...NOTHING, size_bytes }
    const { message_params, tags, request, contexts, extra } = parts.surroundings
    const { method, url, query_string } = request
    return {
      ...summary,
      message_params,
      exceptions: await once(stacks, parts.stacks, () => symbolicate(productId, parts.stacks)),
      breadcrumbs: once(crumbs, parts.breadcrumbs, () => breadcrumbPlaces(parts.breadcrumbs)),
      last_breadcrumb_at: parts.breadcrumbs.at(-1)?.timestamp ?? null,
      tags,
      request: { method, url, query_string },
      contexts,
      extra,
      size_bytes,
    }
  }

  return { view, frames: frames.items, breadcrumbs: breadcrumbs.items }
}

function once<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

/** A list that has each item once. */
function createList<T>() {
  const items: T[] = []
  const places = new Map<string, number>()
  return {
    items,
    place: (item: T) => once(places, JSON.stringify(item), () => items.push(item) - 1),
  }
}

type Frame = StoredEvent['exceptions'][number]['frames'][number]

function comparedFrame({ function: name, filename, lineno, in_app, vars }: Frame) {
  return { function: name, filename, lineno, in_app, vars }
}

const NOTHING = {
  message_params: [],
  exceptions: [],
  breadcrumbs: [],
  last_breadcrumb_at: null,
  tags: [],
  request: { method: '', url: '', query_string: '' },
  contexts: {},
  extra: {},
}
