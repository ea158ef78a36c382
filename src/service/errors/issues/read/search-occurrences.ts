import type { NormalEvent } from '../../event/event.ts'
import { createBodyReader, type ReadBody } from '../bodies/read.ts'
import type { Rows } from '../../../sql/database.ts'
import { Summary } from '../columns.ts'
import { letOthersRun } from '../../../../lib/turns-of-others.ts'
import { readJson } from '../../../sql/json.ts'
import { nextToken, pagingMembers, type Page } from '../../../shared/paging.ts'
import type { Cursor } from '../../../shared/page-token.ts'
import { pauseIfLarge, type StoredOccurrence } from './event-view.ts'

/** Occurrences that one page looks at: as many as an issue keeps by default. */
const MOST_ROWS = 1_000
/** Bytes of their events, as they were sent. */
const MOST_BYTES = 16 * 1024 ** 2
const STEP = 20

/** Reads the next occurrences after `last` with their bodies, newest first. */
export type ReadStep = (last: Cursor | undefined, count: number) => Promise<StoredOccurrence[]>

/**
 * The occurrences that contain the text, newest first. The searched fields are stored in the compressed event, so each
 * event is opened. A page reads at most 1,000 events and 16 MiB; it can have fewer rows than its size, or none, and its
 * token continues the search. The total is known if the first page reads all events.
 */
export async function searchOccurrences(rows: Rows, readStep: ReadStep, text: string, page: Page) {
  const readBody = createBodyReader(rows)
  const found: StoredOccurrence[] = []
  const wanted = text.toLowerCase()
  let [looked, bytes, last] = [0, 0, page.after]
  for (;;) {
    const step = await readStep(last, STEP)
    for (const row of step) {
      if (last !== undefined && (found.length === page.size || looked === MOST_ROWS || bytes >= MOST_BYTES)) {
        return { rows: found, paging: pagingMembers(page, nextToken(page, last), -1) }
      }
      if (await holds(row, wanted, readBody)) found.push(row)
      looked += 1
      bytes += row.size_bytes
      last = { sortValue: row.timestamp, id: String(row.seq) }
      await pauseIfLarge(row)
    }
    if (step.length < STEP) {
      return { rows: found, paging: pagingMembers(page, '', page.after === undefined ? found.length : -1) }
    }
    await letOthersRun()
  }
}

async function holds({ summary, body, dictionary_id }: StoredOccurrence, wanted: string, readBody: ReadBody) {
  const { title, message, transaction } = readJson(Summary, summary)
  const event = body === null ? undefined : (await readBody({ body, dictionary_id }))?.event
  const texts = [title, message, transaction, ...(event === undefined ? [] : eventTexts(event))]
  return texts.some((text) => text.toLowerCase().includes(wanted))
}

type Searched = Pick<NormalEvent, 'exceptions' | 'tags' | 'request' | 'breadcrumbs'>

/** What is searched of an event, as it is usually written: `key=value` for a tag or a breadcrumb's data. */
function eventTexts({ exceptions, tags, request, breadcrumbs }: Searched): string[] {
  return [
    ...exceptions.map(({ type, value }) => `${type}: ${value}`),
    ...tags.map(({ key, value }) => `${key}=${value}`),
    `${request.method} ${request.url}`,
    ...breadcrumbs.flatMap(({ category, message, data }) => [
      `${category}: ${message}`,
      ...Object.entries(data).map(([name, value]) => `${name}=${inWords(value)}`),
    ]),
  ]
}

function inWords(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
