import { isObject, type JsonObject } from '../../lib/objects.ts'
import { readCount, readText } from './read-values.ts'

export interface Paging {
  /** "" where the deployment says that this is the last page; undefined where it says nothing. */
  next_page_token: string | undefined
  page_size: number | undefined
  total_size: number | undefined
}

const OBJECTS = ['pagination', 'paging', 'meta', 'page', 'page_info', 'pageInfo']
const WRAPPERS = ['data', 'result', 'response', 'payload']
const TOKENS = ['next_page_token', 'next_cursor', 'next_token'].flatMap(bothCases)
/** Read only where none of the others is stated; next to those it is the cursor of this page. */
const CURSORS = ['cursor', 'end_cursor'].flatMap(bothCases)
const TOTALS = ['total_size', 'total_count'].flatMap(bothCases)
const SIZES = ['page_size', 'per_page'].flatMap(bothCases)
const MORE = ['has_more', 'has_next_page', 'has_next'].flatMap(bothCases)

/**
 * What an answer with `shown` rows says about the pages of its list, under the usual names, at its top level and in its
 * paging object, also one level further in. A token that is sent as "", null or 0, also as text, says that there is no next page, and so
 * does `has_more: false`; other numbers are tokens. A total that is smaller than the page is ignored.
 */
export function readPaging(answer: unknown, shown: number): Paging {
  const levels = isObject(answer) ? [answer, ...members(answer, WRAPPERS)] : []
  const objects = levels.flatMap((level) => members(level, OBJECTS)).flatMap((one) => [one, ...members(one, OBJECTS)])
  const all = [...levels, ...objects]
  const isLast = all.some((one) => values(one, MORE).includes(false))
  const token = isLast ? '' : (tokenIn(all, TOKENS) ?? tokenIn(all, CURSORS))
  const totals = [
    ...all.flatMap((one) => values(one, TOTALS)),
    ...objects.flatMap((one) => values(one, ['total'])),
    // On a page with a next one `count` may be that of the page.
    ...objects.flatMap((one) => values(one, ['count']).filter((count) => token === '' || readCount(count) !== shown)),
  ]
  return {
    next_page_token: token,
    page_size: objects.flatMap((one) => values(one, SIZES)).map(readCount)[0],
    total_size: totals.map(readCount).find((total) => total !== undefined && total >= shown),
  }
}

function bothCases(name: string): string[] {
  return [name, name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())]
}

function members(value: JsonObject, names: readonly string[]): JsonObject[] {
  return values(value, names).filter(isObject)
}

function values(value: JsonObject, names: readonly string[]): unknown[] {
  return names.flatMap((name) => (value[name] === undefined ? [] : [value[name]]))
}

/** The token under these names; "" where there is none, and the answer says so. */
function tokenIn(all: readonly JsonObject[], names: readonly string[]): string | undefined {
  const texts = all.flatMap((one) => values(one, names)).map(tokenText)
  return texts.find((text) => text !== undefined && text !== '') ?? texts.find((text) => text === '')
}

function tokenText(token: unknown): string | undefined {
  if (token === null || token === 0 || token === '0') return ''
  return typeof token === 'boolean' ? undefined : readText(token)
}
