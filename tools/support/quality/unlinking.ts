import type { Test } from '../../../src/mcp/resolve/types.ts'
import { nextCall, type NextAction } from '../../../src/mcp/result/next-action.ts'
import { isTestKey } from './find-cases.ts'
import type { RequirementInFull, RequirementLink } from './requirement-in-full.ts'

export type Coverage = RequirementInFull['requirement']['coverage']

/** The other links that count as coverage (contract §4); undefined where the deployment does not state them. */
export function otherLinks(
  { links }: RequirementInFull,
  { test_id: test }: Pick<RequirementLink, 'test_id'>,
): RequirementLink[] | undefined {
  if (links?.some((link) => link.test_id === undefined)) return undefined
  return links?.filter((link) => link.test_id !== test && link.role !== 'LINK_ROLE_EXERCISES')
}

/** The coverage without the link, where it is certain without the results of the other tests. */
export function expectedCoverage(read: RequirementInFull, link: RequirementLink): Coverage {
  if (link.role === 'LINK_ROLE_EXERCISES') return read.requirement.coverage
  const isLast = otherLinks(read, link)?.length === 0 && read.children?.length === 0
  return isLast ? { state: 'no_test' } : undefined
}

/** The call that links the test again, by its key; undefined for a test that no such call finds. */
export function undoCall({ kind, key = '' }: Test, requirement: string, product: string): NextAction | undefined {
  if ((kind !== undefined && kind !== 'TEST_KIND_CASE') || !isTestKey({ title: key })) return undefined
  const tests = [{ title: key, requirement_ids: [requirement] }]
  return nextCall('record_tests', { product, tests }, 'links it again, if the user wants that')
}

/** What the undo call does not restore, or that there is none. */
export function undoNote(
  { role, criterion_ids: criteria = [] }: RequirementLink,
  isOffered: boolean,
): string | undefined {
  if (!isOffered) return 'no call links this test again'
  const isWhole = role === 'LINK_ROLE_VERIFIES' && criteria.length === 0
  return isWhole ? undefined : 'links it again, as proof of the whole requirement'
}
