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
  reading: { isComplete: boolean | undefined }
}

/** Rows of a list, and whether they are all of them. */
export interface ListedRows<R> {
  rows: R[]
  isWhole: boolean
}

/** The rows of all pages, at most 1,000; each once, and no page after one that brings nothing new. */
export async function everyPage<K extends string, R extends { id: string }>(
  read: (page: Page) => Promise<{ [P in K]: R[] } & Answer>,
  member: K,
): Promise<ListedRows<R>> {
  const rows = new Map<string, R>()
  let token: string | undefined
  for (let page = 0; page < PAGES; page += 1) {
    const answer = await read({ page_size: PAGE_SIZE, ...(token !== undefined && { page_token: token }) })
    const known = rows.size
    for (const row of answer[member]) if (!rows.has(row.id)) rows.set(row.id, row)
    token = answer.next_page_token === '' ? undefined : answer.next_page_token
    if (token === undefined || rows.size === known) break
  }
  return { rows: [...rows.values()], isWhole: token === undefined }
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
