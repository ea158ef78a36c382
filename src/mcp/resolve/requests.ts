import type { Reading } from '../../client/capabilities/reading.ts'
import { ServiceError } from '../../errors.ts'

/** Pages that are searched for a name; beyond them the caller has to pass an id. */
const PAGES = 5
const PAGE_SIZE = 200

interface Page {
  page_size: number
  page_token?: string
}

interface Answer {
  next_page_token?: string | undefined
  reading: Reading
}

/** Rows of a list, and how they were read, which includes whether they are all. */
export interface ListedRows<R> {
  rows: R[]
  reading: Reading
}

/** The rows of all pages, at most 1,000; each once, and no page after one that brings nothing new. */
export async function everyPage<K extends string, R extends { id: string }>(
  read: (page: Page) => Promise<{ [P in K]: R[] } & Answer>,
  member: K,
): Promise<ListedRows<R>> {
  const rows = new Map<string, R>()
  let rowsRead = 0
  let token: string | undefined
  for (let page = 1; ; page += 1) {
    const answer = await read({ page_size: PAGE_SIZE, ...(token !== undefined && { page_token: token }) })
    const known = rows.size
    for (const row of answer[member]) if (!rows.has(row.id)) rows.set(row.id, row)
    rowsRead += answer.reading.rowsRead ?? answer[member].length
    token = answer.next_page_token === '' ? undefined : answer.next_page_token
    if (token === undefined || rows.size === known || page === PAGES)
      return { rows: [...rows.values()], reading: { ...answer.reading, rowsRead } }
  }
}

/**
 * The number of rows that were searched for a name, if the deployment may have more. Undefined if there are no more, or if
 * the deployment itself looked the name up by the filter.
 */
export function rowsSearched({ rows, reading }: ListedRows<unknown>, filter?: string): number | undefined {
  const { filteredHere, notApplied, isComplete, rowsRead = rows.length } = reading
  const isLookedUp = filter !== undefined && ![...filteredHere, ...notApplied].includes(filter)
  return isLookedUp || isComplete === true ? undefined : rowsRead
}

/** The result of a request; undefined if the service answers `not_found`. */
export async function undefinedIfNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined
    throw error
  }
}
