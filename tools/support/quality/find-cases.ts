import { oncePer } from '../../../src/lib/once.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { isGlob } from '../../../src/mcp/files/working-tree.ts'
import { everyPage, type ListedRows } from '../../../src/mcp/resolve/requests.ts'
import type { Test } from '../../../src/mcp/resolve/types.ts'
import { requireSearched } from '../../../src/mcp/resolve/require-searched.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'
import { combined, hasText, isSameText } from '../../../src/mcp/text/untrusted.ts'

/** Where a test is in the repository, as the caller wrote it. */
export interface TestPlace {
  title: string
  file?: string | undefined
  /** Titles of the suites around it, outermost first. */
  suites: readonly string[]
}

const noCases = { cases: [], showsFiles: true }

const UNKNOWN_FILE =
  'a test has this title, and this deployment does not show its file: give its key as title, without file'

/**
 * Finds the known cases at a place: one for each project that runs it, or the one of that title that has no place yet. A
 * key (TC-7) in place of the title finds that case. Throws `not_found` for a key that no case has, `ambiguous_name` when
 * several cases may be meant, and the error for a deployment that does not look cases up where one may be unread: it would
 * be made twice.
 */
export function createCaseFinder(
  { api, signal }: Pick<Context, 'api' | 'signal'>,
  scope: { product_id: string; branch_id: string | undefined },
): (place: TestPlace) => Promise<Test[]> {
  function list(filter: { file_path?: string; q?: string; key?: string[] }): Promise<ListedRows<Test>> {
    const request = { ...scope, kind: 'TEST_KIND_CASE' as const, ...filter }
    return everyPage((page) => api.listTests({ ...request, ...page }, { signal }), 'tests')
  }
  const next = nextCall('list_tests', { product: scope.product_id }, 'lists tests')
  const lookup = { kind: 'test', parameter: 'tests[].title', next }
  async function byKey(key: string): Promise<Test[]> {
    // A deployment that does not know the filter answers with any.
    const { rows, reading } = await list({ key: [key.toUpperCase()] })
    const found = rows.filter((test) => test.key === key.toUpperCase())
    if (found.length === 0) requireSearched(key, reading, lookup)
    if (found.length === 0) throw new TeachingError('not_found', 'no test case has this key', {})
    return found
  }
  /** Where the deployment does not filter, only the cases that it says are in the file. */
  const casesIn = oncePer(async (file: string) => {
    const { rows, reading } = await list({ file_path: file })
    const isApplied = !reading.notApplied.includes('file_path')
    return {
      cases: isApplied ? rows : rows.filter((test) => isIn(test, file)),
      showsFiles: isApplied || rows.some(hasPlace),
    }
  })
  return async ({ title, file, suites }) => {
    if (isTestKey({ title, file })) return byKey(title)
    // A list would take [id].test.ts for a glob; that the case is there shows when it is made.
    const { cases, showsFiles } = file === undefined || isGlob(file) ? noCases : await casesIn(file)
    const isNamed = (test: Test) => isSameText(codeName(test), title) && isSameText(suitePath(test), suites.join(' > '))
    const there = cases.filter(isNamed)
    if (there.length > 0) return there
    const { rows, reading } = await list({ q: title })
    const alike = rows.filter((test) => isSameText(codeName(test), title))
    if (alike.length === 0) requireSearched(title, reading, lookup)
    if (file !== undefined) {
      const unread = alike.filter((test) => isNamed(test) && isIn(test, file))
      if (unread.length > 0) return unread
      const unplaced = alike.filter((test) => !hasPlace(test))
      if (unplaced.length > 0 && !showsFiles) throw new TeachingError('ambiguous_name', UNKNOWN_FILE, {})
      return unplaced.slice(0, 1)
    }
    if (alike.length > 1) throw new TeachingError('ambiguous_name', 'several tests have this title: give file', {})
    return alike
  }
}

/** Whether the caller names a known test by its key instead of its title. */
export function isTestKey({ title, file }: Pick<TestPlace, 'title' | 'file'>): boolean {
  return file === undefined && /^TC-[1-9]\d{0,8}$/i.test(title)
}

function hasPlace({ automation_ref: place }: Test): boolean {
  return hasText(place?.file_path)
}

function isIn({ automation_ref: place }: Test, file: string): boolean {
  return isSameText(place?.file_path, file)
}

function codeName({ automation_ref: place, title }: Test) {
  return hasText(place?.name) ? place.name : title
}

function suitePath({ automation_ref: place }: Test) {
  return combined(place?.suite_path ?? [], (titles) => titles.join(' > '))
}
