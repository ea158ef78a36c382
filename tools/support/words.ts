import { capitalised, counted } from '../../src/lib/counted.ts'
import type { Page } from '../../src/mcp/result/page.ts'
import { sentencesOffered } from '../../src/mcp/surface/naming.ts'

/** The beginning of the answer to a dry run. */
export const PREVIEW = 'Preview, nothing written: '

/** Of what was deleted on a branch, and is in the main tree too. */
export const MERGE_DELETES = ' It stays in the main tree until the merge.'

/** `2 tests created, 1 link made`: the counts that are known and not zero. */
export function countWords(
  parts: readonly (readonly [count: number | undefined, noun: string, what: string])[],
): string {
  return parts.flatMap(([count = 0, noun, what]) => (count === 0 ? [] : [`${counted(count, noun)} ${what}`])).join(', ')
}

interface Search {
  /** What the rows are, in the singular. */
  noun: string
  /** Of the rows when nothing is searched for. */
  order: string
  match: string | undefined
  cursor: string | undefined
  /** What to do while the product has none; a sentence with a tool that is not offered is left out. */
  whenEmpty: string
  offers: (tool: string) => boolean
}

/** The answer of a tool that lists or searches: `12 tests, by key; all shown.` */
export function searchSentence(page: Page, search: Search): string {
  return `${rowsSentence(page, search)} ${page.notes}`.trim()
}

function rowsSentence({ shown, total, range, cursor: next }: Page, search: Search): string {
  const { noun, order, match, cursor, whenEmpty, offers } = search
  if (shown === 0 && next !== undefined) return `No ${noun} so far; the next page searches on.`
  if (shown > 0) {
    const what = total === undefined ? `${capitalised(noun)}s` : counted(total, noun)
    return `${what}${match === undefined ? `, ${order}` : ' matching, best first'}; ${range}.`
  }
  if (cursor !== undefined) return `No ${noun}s on this page: there are no more.`
  if (match !== undefined) return `No ${noun} has all these words. Try fewer, or none for the whole list.`
  return `The product has no ${noun} yet. ${sentencesOffered(whenEmpty, offers)}`.trim()
}
