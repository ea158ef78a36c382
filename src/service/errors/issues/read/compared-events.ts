import type * as z from 'zod'
import type { ComparedEvent } from '../../../../contract/events.ts'
import { letOthersRun } from '../../../../lib/turns-of-others.ts'
import type { EventSymbolicator } from '../../../shared/event-symbolicator.ts'
import { chunks } from '../../../sql/chunks.ts'
import type { Rows } from '../../../sql/database.ts'
import type { StoredEvent } from '../bodies/body.ts'
import { createBodyReader } from '../bodies/read.ts'
import { cutFrames } from './cut-frames.ts'
import { pauseIfLarge, viewSummaries, type StoredOccurrence, type SummaryBody } from './event-view.ts'
import { findOccurrences } from './occurrences.ts'

export type ComparedBody = z.input<typeof ComparedEvent>

/** Bytes of the events of one answer, as they were sent: it is about as large. */
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
 * Occurrences of an issue with what tells them apart, in the order of their ids. Ids that the issue does not have are left
 * out, and those beyond a megabyte are `unread_ids`; one at least is read.
 */
export async function viewComparedEvents(rows: Rows, { issueId, ids, ...options }: ComparedOptions) {
  const events: ComparedBody[] = []
  let bytes = 0
  for (const step of chunks(ids, STEP)) {
    const found = await findOccurrences(rows, issueId, step)
    const summaries = await viewSummaries(rows, found)
    for (const [place, occurrence] of found.entries()) {
      if (bytes >= MOST_BYTES) return { events, unread_ids: ids.slice(ids.indexOf(occurrence.id)) }
      bytes += occurrence.size_bytes
      events.push(await viewCompared(rows, occurrence, summaries[place]!, options))
      await pauseIfLarge(occurrence)
    }
    await letOthersRun()
  }
  return { events, unread_ids: [] }
}

/** The event with the current source maps applied; only what the summary holds where retention has removed the body. */
async function viewCompared(
  rows: Rows,
  occurrence: StoredOccurrence,
  summary: SummaryBody,
  { symbolicator, maxFrames, maxBreadcrumbs }: Pick<ComparedOptions, 'symbolicator' | 'maxFrames' | 'maxBreadcrumbs'>,
): Promise<ComparedBody> {
  const { body, product_id: productId, size_bytes } = occurrence
  if (body === null) return { ...summary, ...NOTHING, size_bytes }
  const { event: sent } = await createBodyReader(rows)({ ...occurrence, body })
  // Nothing is compared of threads.
  const { event } = await symbolicator.symbolicate(productId, { ...sent, threads: [] })
  const { method, url, query_string } = event.request
  return {
    ...summary,
    message_params: event.message_params,
    exceptions: event.exceptions.map(({ type, value, frames }) => ({
      type,
      value,
      frames: cutFrames(frames, maxFrames, '', () => undefined).map(comparedFrame),
    })),
    breadcrumbs: maxBreadcrumbs === 0 ? [] : event.breadcrumbs.slice(-maxBreadcrumbs),
    tags: event.tags,
    request: { method, url, query_string },
    contexts: event.contexts,
    extra: event.extra,
    size_bytes,
  }
}

type Frame = StoredEvent['exceptions'][number]['frames'][number]

function comparedFrame({ index, function: name, filename, lineno, in_app, vars }: Frame) {
  return { index, function: name, filename, lineno, in_app, vars }
}

const NOTHING = {
  message_params: [],
  exceptions: [],
  breadcrumbs: [],
  tags: [],
  request: { method: '', url: '', query_string: '' },
  contexts: {},
  extra: {},
}
