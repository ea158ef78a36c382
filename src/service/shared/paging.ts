import { hash } from 'node:crypto'
import { ServiceError } from '../../errors.ts'
import type { Call } from './context.ts'
import { digestText, readToken, writeToken, type Cursor } from './page-token.ts'

const defaultSize = 50
const largestSize = 200

/** One page to read: at most `size` rows after `after` (undefined = from the start). */
export interface Page {
  readonly size: number
  readonly after: Cursor | undefined
  /** Hash of the endpoint and the other query members, which the next token is bound to. */
  readonly query: string
}

/**
 * Reads `page_size` and `page_token` of a list call (contract §0.3). A token is bound to its endpoint and to `filters`, by
 * default all other members of the input. Throws `PAGE_TOKEN_MISMATCH` for a token of another query or a broken one.
 */
export function readPage(
  { endpoint }: Pick<Call, 'endpoint'>,
  input: { page_size?: number | undefined; page_token?: string | undefined },
  filters: Readonly<Record<string, unknown>> = withoutPaging(input),
): Page {
  const size = Math.min(input.page_size ?? defaultSize, largestSize)
  const query = hashQuery(endpoint, filters)
  if (input.page_token === undefined || input.page_token === '') return { size, after: undefined, query }
  const after = readToken(input.page_token, query)
  if (after === undefined) throw mismatch('page_token belongs to another query; repeat the first page')
  return { size, after, query }
}

/** The token that continues after `last`. */
export function nextToken(page: Page, last: Cursor): string {
  return writeToken(last, page.query)
}

/**
 * The page's cursor in a list that is sorted by text: a text that was too long for the token is read from its row with
 * `readText`. Throws `PAGE_TOKEN_MISMATCH` when the row has another text by now, so that no row is repeated or skipped.
 */
export async function textCursor(
  { after }: Page,
  readText: (id: string) => Promise<{ text: string } | undefined>,
): Promise<{ sortValue: string; id: string } | undefined> {
  if (after === undefined) return undefined
  const { sortValue, id } = after
  if (typeof sortValue !== 'object') return { sortValue: String(sortValue), id }
  const text = (await readText(id))?.text
  if (text !== undefined && digestText(text).digest === sortValue.digest) return { sortValue: text, id }
  throw lastRowChanged()
}

/**
 * Cuts rows that were read with `limit(page.size + 1)` to the page, and adds the members that continue it. `total` is
 * exact, or -1 where counting is not cheap.
 */
export function cutPage<Row>(page: Page, rows: readonly Row[], total: number, toCursor: (row: Row) => Cursor) {
  const kept = rows.slice(0, page.size)
  const last = kept.at(-1)
  const token = rows.length > page.size && last !== undefined ? nextToken(page, toCursor(last)) : ''
  return { rows: kept, paging: pagingMembers(page, token, total) }
}

/** The paging members of a list response. */
export function pagingMembers(page: Page, token: string, total: number) {
  return {
    next_page_token: token,
    pagination: { next_page_token: token, page_size: page.size, total_size: total },
  }
}

function withoutPaging(input: object): Record<string, unknown> {
  const { page_size: _size, page_token: _token, ...filters } = input as Record<string, unknown>
  return filters
}

function hashQuery(endpoint: string, filters: Readonly<Record<string, unknown>>): string {
  const said = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '')
  said.sort(([a], [b]) => (a < b ? -1 : 1))
  return hash('sha256', JSON.stringify([endpoint, said]), 'base64url')
}

/** The failure of a list that cannot find its place again, because the row that it continues after has changed. */
export function lastRowChanged(): ServiceError {
  return mismatch('the last row of the previous page was renamed, moved or deleted; repeat the first page')
}

function mismatch(message: string): ServiceError {
  return new ServiceError('invalid_argument', message, {
    reason: 'PAGE_TOKEN_MISMATCH',
    violations: [{ field: 'page_token', description: 'must be the next_page_token of the same query' }],
  })
}
