import type { Context } from '../../../src/mcp/define/define.ts'
import { ifOffered } from '../../../src/mcp/resolve/offered.ts'
import type { Test } from '../../../src/mcp/resolve/types.ts'
import { keyOrId } from '../columns.ts'
import { expectedCoverage } from '../quality/unlinking.ts'
import { ifReadable } from '../writes/outcome.ts'

/** Requirements that are read to say which of them have no other test. */
const READ = 10

/** What requirements lose with a test. */
export interface Loss {
  /** Keys of those it is linked to; undefined where the deployment does not state them. */
  linked: string[] | undefined
  /** Those that have no other test. */
  untested: string[]
  /** Whether each was looked at. */
  isWhole: boolean
}

type Links = Awaited<ReturnType<Context['api']['listTestLinks']>>['links']

/** The requirements that a test is linked to, and which of them have no other one: on a branch, if one is given. */
export async function coverageWithout(
  { test, links: known, branchId }: { test: Test; links: Links | undefined; branchId?: string | undefined },
  { api, signal }: Context,
): Promise<Loss> {
  const links = known ?? (await ifOffered(api.listTestLinks({ test_id: test.id, page_size: 200 }, { signal })))?.links
  if (links === undefined) return { linked: undefined, untested: [], isWhole: false }
  const looked = await Promise.all(
    links.slice(0, READ).map(async (link) => {
      const { requirement_id: id } = link
      const read =
        id === undefined ? undefined : await ifReadable(api.getRequirement({ id, branch_id: branchId }, { signal }))
      const state = read && expectedCoverage(read, { ...link, test_id: test.id })?.state
      return { key: linkKey(link), isRead: read !== undefined, isUntested: state === 'no_test' }
    }),
  )
  return {
    linked: links.map(linkKey),
    untested: looked.filter(({ isUntested }) => isUntested).map(({ key }) => key),
    isWhole: looked.length === links.length && looked.every(({ isRead }) => isRead),
  }
}

function linkKey({ requirement_id: id, requirement_key: key }: Links[number]): string {
  return keyOrId({ id, key })
}
