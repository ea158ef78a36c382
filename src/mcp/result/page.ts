/** Rows of a page unless the caller asks for another number. */
export const USUAL_ROWS = 15
/** The most rows that a caller may ask for. */
export const MOST_ROWS = 50

interface ListResponse {
  next_page_token?: string | undefined
  pagination?: { total_size?: number | undefined } | undefined
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
}

/**
 * Describes the page that `response` holds `shown` rows of. `given` is the cursor that the caller passed. A deployment that
 * does not count sends no total or a negative one; then the total is known only when one page holds everything.
 */
export function describePage(response: ListResponse, shown: number, given: string | undefined): Page {
  const { next_page_token: token, pagination } = response
  const cursor = token === '' ? undefined : token
  const size = pagination?.total_size ?? -1
  const isPart = (cursor ?? given) !== undefined
  return {
    shown,
    total: size >= 0 ? size : isPart ? undefined : shown,
    cursor,
    range: isPart ? `${shown} shown here` : 'all shown',
  }
}
