import type { Reading } from '../../client/capabilities/reading.ts'

/** Rows of a page unless the caller asks for another number. */
export const USUAL_ROWS = 15
/** The most rows that a caller may ask for. */
export const MOST_ROWS = 50

interface ListResponse {
  next_page_token?: string | undefined
  pagination?: { total_size?: number | undefined } | undefined
  reading: Reading
}

/** One page of a list: how many rows it shows, how many there are, and where the next page begins. */
export interface Page {
  shown: number
  /** Rows of all pages; undefined where the service does not count them. */
  total: number | undefined
  /** Undefined on the last page. */
  cursor: string | undefined
  /** For the answer's first line: `15 shown here` or `all shown`. */
  range: string
  /** Sentences about what the deployment was asked for and did not do; empty if it did everything. */
  notes: string
  /** The lists of the answer's data that hold the rows; by default `rows`. */
  lists?: readonly string[]
}

/**
 * Describes the page that `response` holds `shown` rows of. `given` is the cursor that the caller passed. A deployment that
 * does not count sends no total or a negative one; then the total is known only when one page holds everything, and only
 * where the deployment says that it does.
 */
export function describePage(response: ListResponse, shown: number, given: string | undefined): Page {
  const { next_page_token: token, pagination, reading } = response
  const cursor = token === '' ? undefined : token
  const size = pagination?.total_size ?? -1
  const isWhole = reading.isComplete === true && (cursor ?? given) === undefined
  return {
    shown,
    total: size >= 0 ? size : isWhole ? shown : undefined,
    cursor,
    range: isWhole ? 'all shown' : `${shown} shown here`,
    notes: readingNotes(reading),
  }
}

/** What a parameter asks for, in a word. */
const words: Readonly<Record<string, string>> = {
  q: 'text',
  environment_id: 'environment',
  release_id: 'release',
  first_release_id: 'first release',
  component_id: 'component',
  branch_id: 'branch',
  requirement_id: 'requirement',
  parent_id: 'parent',
  short_id: 'key',
  levels: 'level',
  platforms: 'platform',
  result_status: 'last result',
  coverage_state: 'coverage state',
  sdk_event_id: 'event_id of the SDK',
}

/**
 * Sentences about what the deployment did not do: filter, search or order the rows as it was asked, or say whether there
 * are more. Empty if it did everything.
 */
function readingNotes({ filteredHere, notApplied, isComplete }: Reading): string {
  const filters = notApplied.filter((name) => name !== 'sort').map((name) => words[name] ?? name)
  const sentences = [
    filters.length > 0 &&
      `This deployment does not filter by ${filters.join(' or ')}: rows of any other may be among these.`,
    filteredHere.includes('q') && 'This deployment does not search: these rows themselves show the text.',
    notApplied.includes('sort') && "Rows are in the deployment's own order.",
    isComplete === undefined && 'This deployment does not say whether there are more.',
  ]
  return sentences.filter((sentence) => sentence !== false).join(' ')
}
