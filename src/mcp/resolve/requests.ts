import { ServiceError } from '../../errors.ts'

/** Pages that are searched for a name; beyond them the caller has to pass an id. */
const PAGES = 5
const PAGE_SIZE = 200

interface Page {
  page_size: number
  page_token?: string
}

/** The rows of all pages, at most 1,000. */
export async function everyPage<K extends string, R>(
  read: (page: Page) => Promise<{ [P in K]: R[] } & { next_page_token?: string | undefined }>,
  member: K,
): Promise<R[]> {
  const rows: R[] = []
  let token: string | undefined
  for (let page = 0; page < PAGES; page += 1) {
    const answer = await read({ page_size: PAGE_SIZE, ...(token !== undefined && { page_token: token }) })
    rows.push(...answer[member])
    token = answer.next_page_token === '' ? undefined : answer.next_page_token
    // A deployment may send more rows than were asked for.
    if (token === undefined || rows.length >= PAGES * PAGE_SIZE) break
  }
  return rows.slice(0, PAGES * PAGE_SIZE)
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
