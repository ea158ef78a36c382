import { oncePer } from '../../../src/lib/once.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { isGlob } from '../../../src/mcp/files/working-tree.ts'
import type { Test } from '../../../src/mcp/resolve/types.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'
import { combined, hasText, isSameText } from '../../../src/mcp/text/untrusted.ts'

/** Where a test is in the repository, as the caller wrote it. */
export interface TestPlace {
  title: string
  file?: string | undefined
  /** Titles of the suites around it, outermost first. */
  suites: readonly string[]
}

/** Pages of 200 in which a case is looked for; one beyond them is found when it is made again. */
const PAGES = 5
const PAGE_SIZE = 200

/**
 * Finds the known cases at a place: one for each project that runs it, or the one of that title that has no place yet. A
 * key (TC-7) in place of the title finds that case. Throws `not_found` for a key that no case has, and `ambiguous_name`
 * when only a title is given and several cases have it.
 */
export function createCaseFinder(
  { api, signal }: Pick<Context, 'api' | 'signal'>,
  scope: { product_id: string; branch_id: string | undefined },
): (place: TestPlace) => Promise<Test[]> {
  async function list(filter: { file_path?: string; q?: string; key?: string[] }): Promise<Test[]> {
    const rows: Test[] = []
    let token: string | undefined
    for (let page = 0; page < PAGES; page += 1) {
      const paging = { page_size: PAGE_SIZE, page_token: token }
      const answer = await api.listTests({ ...scope, kind: 'TEST_KIND_CASE', ...filter, ...paging }, { signal })
      rows.push(...answer.tests)
      token = answer.next_page_token || undefined
      if (token === undefined) break
    }
    return rows
  }
  async function byKey(key: string): Promise<Test[]> {
    // A deployment that does not know the filter answers with any.
    const found = (await list({ key: [key.toUpperCase()] })).filter((test) => test.key === key.toUpperCase())
    if (found.length === 0) throw new TeachingError('not_found', 'no test case has this key', {})
    return found
  }
  const casesIn = oncePer((file: string) => list({ file_path: file }))

  return async ({ title, file, suites }) => {
    if (isTestKey({ title, file })) return byKey(title)
    // A list would take [id].test.ts for a glob; that the case is there shows when it is made.
    const cases = file === undefined || isGlob(file) ? [] : await casesIn(file)
    const there = cases.filter(
      (test) => isSameText(codeName(test), title) && isSameText(suitePath(test), suites.join(' > ')),
    )
    if (there.length > 0) return there
    const alike = (await list({ q: title })).filter((test) => isSameText(codeName(test), title))
    if (file !== undefined) return alike.filter(({ automation_ref: place }) => !hasText(place?.file_path)).slice(0, 1)
    if (alike.length > 1) throw new TeachingError('ambiguous_name', 'several tests have this title: give file', {})
    return alike
  }
}

/** Whether the caller names a known test by its key instead of its title. */
export function isTestKey({ title, file }: Pick<TestPlace, 'title' | 'file'>): boolean {
  return file === undefined && /^TC-[1-9]\d{0,8}$/i.test(title)
}

function codeName({ automation_ref: place, title }: Test) {
  return hasText(place?.name) ? place.name : title
}

function suitePath({ automation_ref: place }: Test) {
  return combined(place?.suite_path ?? [], (titles) => titles.join(' > '))
}
