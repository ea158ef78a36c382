import { createHash } from 'node:crypto'
import * as z from 'zod'
import { ServiceError } from '../../errors.ts'
import type { Call } from './context.ts'

const defaultSize = 50
const largestSize = 200

/** One page to read: at most `size` rows after `after` (undefined = from the start). */
export interface Page {
  readonly size: number
  readonly after: Cursor | undefined
  /** Hash of the endpoint and the other query members; goes into the next token. */
  readonly query: string
}

/** The last row of the previous page: its sort value and id, and when the first page was read where that matters. */
export interface Cursor {
  readonly sortValue: string | number
  readonly id: string
  readonly asOf?: number
}

const Token = z.object({
  v: z.literal(1),
  sort_value: z.union([z.string(), z.number()]),
  id: z.string(),
  q: z.string(),
  as_of: z.int().optional(),
})

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
  const token = decode(input.page_token)
  if (token?.q !== query) {
    throw new ServiceError('invalid_argument', 'page_token belongs to another query; repeat the first page', {
      reason: 'PAGE_TOKEN_MISMATCH',
      violations: [{ field: 'page_token', description: 'must be the next_page_token of the same query' }],
    })
  }
  const after = { sortValue: token.sort_value, id: token.id }
  return { size, after: token.as_of === undefined ? after : { ...after, asOf: token.as_of }, query }
}

/** The token that continues after `last`. */
export function nextToken(page: Page, last: Cursor): string {
  const token: z.input<typeof Token> = {
    v: 1,
    sort_value: last.sortValue,
    id: last.id,
    q: page.query,
    as_of: last.asOf,
  }
  return Buffer.from(JSON.stringify(token)).toString('base64url')
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
  return createHash('sha256')
    .update(JSON.stringify([endpoint, said]))
    .digest('base64url')
    .slice(0, 16)
}

function decode(token: string): z.output<typeof Token> | undefined {
  try {
    return Token.safeParse(JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))).data
  } catch {
    return undefined
  }
}
