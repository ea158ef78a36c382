import { counted } from '../../../src/lib/counted.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import type { LocalFiles } from '../../../src/mcp/files/local-files.ts'
import type { Requirement, Test } from '../../../src/mcp/resolve/types.ts'
import { withoutPrefix } from '../../../src/mcp/result/present.ts'
import { keyOrId } from '../columns.ts'
import type { Kept } from '../cuts.ts'
import { showNames } from '../test-names.ts'
import { describeTest } from './tests.ts'
import { criteriaWords, criterionCovered } from './criteria.ts'

/** A requirement with its children and its links to tests. */
export type RequirementInFull = Awaited<ReturnType<Context['api']['getRequirement']>>

export type RequirementLink = NonNullable<RequirementInFull['links']>[number]

/** The criteria, each with whether tests cover it; links that only exercise the requirement prove nothing (contract §4). */
export function coveredCriteria({ requirement, links = [] }: RequirementInFull) {
  const { acceptance_criteria: criteria = [], coverage } = requirement
  const counting = links.filter(({ role }) => role !== 'LINK_ROLE_EXERCISES')
  const named = new Set(counting.flatMap(({ criterion_ids: ids = [] }) => ids))
  const isLinked = counting.length > 0
  return criteria.map((criterion) => {
    const { id } = criterion
    return { criterion, covered: criterionCovered({ id, coverage, isNamed: named.has(id), isLinked }) }
  })
}

/** `REQ-12 is not_run: approved, 1 of 2 acceptance criteria covered, 1 linked test.` */
export function requirementSentence(read: RequirementInFull): string {
  const { requirement, children = [], links = [] } = read
  const { state = 'of unknown coverage', failing, suspect } = requirement.coverage ?? {}
  const doubts = [failing === true && 'failing', suspect === true && 'links in doubt'].filter((word) => word !== false)
  const criteria = coveredCriteria(read)
  const parts = [
    withoutPrefix(requirement.status, 'REQUIREMENT_STATUS_'),
    criteriaWords(criteria.map(({ covered }) => covered)),
    `${counted(links.length, 'linked test')}${resultWords(requirement.coverage)}`,
    children.length === 0 ? undefined : `${counted(children.length, 'requirement')} below it`,
  ].filter((part) => part !== undefined)
  const below = isWorseBelow(requirement.coverage) ? ' because of a requirement below it' : ''
  const doubt = `${doubts.length === 0 ? '' : ` (${doubts.join(', ')})`}${below}`
  return `${keyOrId(requirement)} is ${state}${doubt}: ${parts.join(', ')}.`
}

/** Whether a requirement's own tests verify it, so that its state is that of a requirement below it (contract §1.2). */
export function isWorseBelow(coverage: Requirement['coverage']): boolean {
  const { state, linked_test_count: linked = 0, passed_count: passed = 0 } = coverage ?? {}
  if (state === undefined || state === 'verified' || linked === 0) return false
  if (state === 'no_test') return true
  return passed === linked && coverage?.suspect !== true && coverage?.uncovered_criterion_ids?.length === 0
}

/** ` (1 passed, 2 failed)`; empty where no case counts or the service does not say it. */
function resultWords(coverage: RequirementInFull['requirement']['coverage']): string {
  const { passed_count: passed = 0, failed_count: failed = 0, not_run_count: unrun = 0 } = coverage ?? {}
  const { skipped_count: skipped = 0 } = coverage ?? {}
  const counts = [
    [passed, 'passed'],
    [failed, 'failed'],
    [skipped, 'skipped'],
    [unrun - skipped, 'not run'],
  ] as const
  const words = counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

/** The names of components by their ids; an id that is unknown stays. */
export async function componentNames(
  ids: readonly string[] = [],
  productId: string,
  { resolve }: Context,
): Promise<string[]> {
  const components = ids.length === 0 ? [] : await resolve.components(productId)
  return ids.map((id) => components.find((component) => component.id === id)?.name ?? id)
}

/** How many of the links have their test among `tests`, where its last result is. */
export function withResults(links: readonly RequirementLink[], tests: readonly Test[]): Kept {
  const known = new Set(tests.map(({ id }) => id))
  return { shown: links.filter(({ test_id: id }) => id !== undefined && known.has(id)).length, total: links.length }
}

/** A link, with the facts of its test where that is on the first page of tests, else only with its name. */
export async function describeLink(link: RequirementLink, tests: readonly Test[], local: LocalFiles | undefined) {
  const test = tests.find(({ id }) => id === link.test_id)
  const { row, reported } = test === undefined ? await linkedTest(link) : await describeTest(test, local)
  const shown = {
    ...row,
    status: withoutPrefix(row.status, 'TEST_STATUS_'),
    // A suite has the results of its cases.
    ...(test?.kind === 'TEST_KIND_SUITE' && { last: undefined, status: 'suite' }),
    role: link.role === 'LINK_ROLE_VERIFIES' ? undefined : link.role,
    link: link.state === 'LINK_STATE_ACTIVE' ? undefined : link.state,
  }
  return { row: shown, reported }
}

async function linkedTest({ test_id, test_key, test_title: title, test_names_known: isKnown }: RequirementLink) {
  const id = keyOrId({ id: test_id, key: test_key })
  const { facts, reported } = await showNames({ title, names_known: isKnown }, undefined)
  return { row: { id, ...facts, status: undefined }, reported: reported && { id, ...reported } }
}
