import { counted } from '../../../src/lib/counted.ts'
import { ifOffered, notOfferedSentence } from '../../../src/mcp/resolve/offered.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import type { LocalFiles } from '../../../src/mcp/files/local-files.ts'
import type { ListedRows } from '../../../src/mcp/resolve/requests.ts'
import type { Branch, Product, Requirement, Test } from '../../../src/mcp/resolve/types.ts'
import { withoutPrefix } from '../../../src/mcp/result/present.ts'
import { keyOrId } from '../columns.ts'
import type { Kept } from '../cuts.ts'
import { showNames } from '../test-names.ts'
import { describeTest } from './tests.ts'
import { criteriaWords, criterionCovered } from './criteria.ts'

/** A requirement with its children and its links to tests. */
export type RequirementInFull = Awaited<ReturnType<Context['api']['getRequirement']>>

type Reading = ListedRows<Test>['reading']

export type RequirementLink = NonNullable<RequirementInFull['links']>[number]

/** Linked tests that are read with their last result: the longest page of the contract. */
const TESTS = 200
/** The most tests whose links are read one by one, when neither the requirement nor its tests name the links. */
const TESTS_ASKED = 40
const READS_AT_ONCE = 8

/** A requirement with its links and those of its tests that were read. */
export interface RequirementWithTests extends RequirementInFull {
  tests: readonly Test[]
  /** What this deployment does not offer of it: a sentence that begins with a space, or ''. */
  missing: string
}

/**
 * A requirement as a write needs it: read alone, on a branch if one is given; as it was found where this deployment does
 * not offer single requirements. The list shows no branch, so there the failure stays.
 */
export async function readForWrite(
  found: Requirement,
  branch: string | undefined,
  { api, signal }: Pick<Context, 'api' | 'signal'>,
): Promise<RequirementInFull> {
  const answer = api.getRequirement({ id: found.id, branch_id: branch }, { signal })
  if (branch !== undefined) return answer
  return (await ifOffered(answer)) ?? listedAlone(found)
}

/** A requirement of a list, which says nothing about its children and links. */
export function listedAlone(requirement: Requirement): RequirementInFull {
  return { requirement, children: undefined, links: undefined }
}

/** Reads all that `get_requirement` shows, on a branch if one is given; a requirement that was found stays as it was where it cannot be read alone. */
export async function readRequirement(
  { requirement: found, product, branch }: { requirement: Requirement; product: Product; branch?: Branch | undefined },
  context: Pick<Context, 'api' | 'signal'>,
): Promise<RequirementWithTests> {
  const { api, signal } = context
  const linked = { product_id: product.id, requirement_id: found.id, branch_id: branch?.id, page_size: TESTS }
  const [read, list] = await Promise.all([
    ifOffered(api.getRequirement({ id: found.id, branch_id: branch?.id }, { signal })),
    ifOffered(api.listTests({ ...linked, view: 'TEST_VIEW_BASIC' }, { signal })),
  ])
  const { requirement, children, links } = read ?? { requirement: found }
  const tests = list?.tests ?? []
  const looked = links === undefined && list !== undefined ? await findLinks(requirement, list, context) : undefined
  return {
    requirement,
    children,
    links: links ?? looked?.links,
    tests,
    missing:
      notOfferedSentence([read === undefined && 'single requirements', list === undefined && 'the list of tests']) +
      (looked?.note ?? ''),
  }
}

/** The links of a requirement that does not name them: by the keys that its tests name, else by the links of each test. */
async function findLinks(
  { id, key = '' }: Requirement,
  { tests, reading }: { tests: readonly Test[]; reading: Reading },
  { api, signal }: Pick<Context, 'api' | 'signal'>,
): Promise<{ links: RequirementLink[]; note: string } | undefined> {
  if (key !== '' && tests.length > 0 && tests.every((test) => test.requirement_keys !== undefined)) {
    const naming = tests.filter((test) => test.requirement_keys?.includes(key) === true)
    const links = naming.map((test) => ({ test_id: test.id, requirement_id: id }))
    return { links, note: searchedNote(tests.length, tests.length, reading) }
  }
  const asked = tests.slice(0, TESTS_ASKED)
  const links: RequirementLink[] = []
  for (let start = 0; start < asked.length; start += READS_AT_ONCE) {
    const step = asked.slice(start, start + READS_AT_ONCE)
    const read = await Promise.all(step.map((test) => ifOffered(api.listTestLinks({ test_id: test.id }, { signal }))))
    if (read.includes(undefined)) return undefined
    const found = read.map((answer) => answer?.links.find((link) => link.requirement_id === id))
    links.push(...found.flatMap((link, index) => (link ? [{ ...link, test_id: step[index]?.id }] : [])))
  }
  return { links, note: searchedNote(asked.length, tests.length, reading) }
}

/** Says that linked tests were looked for among only some of the tests; '' if all were read. */
function searchedNote(asked: number, read: number, { isComplete }: Reading): string {
  if (isComplete === true && asked === read) return ''
  const more =
    isComplete === true ? `${asked} of ${read} tests` : `the first ${counted(asked, 'test')}; there may be more`
  return ` Linked tests were looked for among ${more}.`
}

/**
 * The criteria, each with whether tests cover it; links that only exercise the requirement prove nothing (contract §4).
 * Undefined where the deployment does not send criteria.
 */
export function coveredCriteria({ requirement, links }: RequirementInFull) {
  const { acceptance_criteria: criteria, coverage } = requirement
  const counting = links?.filter(({ role }) => role !== 'LINK_ROLE_EXERCISES')
  const named = new Set(counting?.flatMap(({ criterion_ids: ids = [] }) => ids))
  const isLinked = counting && counting.length > 0
  return criteria?.map((criterion) => {
    const { id } = criterion
    return { criterion, covered: criterionCovered({ id, coverage, isNamed: named.has(id), isLinked }) }
  })
}

/** `REQ-12 is not_run: approved, 1 of 2 acceptance criteria covered, 1 linked test.` */
export function requirementSentence(read: RequirementInFull): string {
  const { requirement, children = [], links } = read
  const { state = 'of a coverage that is not stated', failing, suspect } = requirement.coverage ?? {}
  const doubts = [failing === true && 'failing', suspect === true && 'links in doubt'].filter((word) => word !== false)
  const criteria = coveredCriteria(read)
  const parts = [
    withoutPrefix(requirement.status, 'REQUIREMENT_STATUS_'),
    criteriaWords(criteria?.map(({ covered }) => covered)),
    `${linkedWords(links?.length)}${resultWords(requirement.coverage)}`,
    children.length === 0 ? undefined : `${counted(children.length, 'requirement')} below it`,
  ].filter((part) => part !== undefined)
  const below = isWorseBelow(requirement.coverage) ? ' because of a requirement below it' : ''
  const doubt = `${doubts.length === 0 ? '' : ` (${doubts.join(', ')})`}${below}`
  return `${keyOrId(requirement)} is ${state}${doubt}: ${parts.join(', ')}.`
}

/** `2 linked tests`, or that the deployment does not say it. */
export function linkedWords(count: number | undefined): string {
  return count === undefined ? 'linked tests not stated' : counted(count, 'linked test')
}

/** Whether a requirement's own tests verify it, so that its state is that of a requirement below it (contract §1.2). */
export function isWorseBelow(coverage: Requirement['coverage']): boolean {
  const { state, linked_test_count: linked = 0, passed_count: passed = 0 } = coverage ?? {}
  if (state === undefined || state === 'verified' || linked === 0) return false
  if (state === 'no_test') return true
  return passed === linked && coverage?.suspect === false && coverage.uncovered_criterion_ids?.length === 0
}

/** ` (1 passed, 2 failed)`; empty where no case counts or the service does not say it. */
function resultWords(coverage: RequirementInFull['requirement']['coverage']): string {
  const { passed_count: passed = 0, failed_count: failed = 0, not_run_count: unrun = 0 } = coverage ?? {}
  // Those that were skipped are among those that have not run.
  const { skipped_count: skipped = unrun } = coverage ?? {}
  const counts = [
    [passed, 'passed'],
    [failed, 'failed'],
    [coverage?.skipped_count ?? 0, 'skipped'],
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
  const components = ids.length === 0 ? undefined : await ifOffered(resolve.components(productId))
  return ids.map((id) => components?.rows.find((component) => component.id === id)?.name ?? id)
}

/** How many of the links have their test among `tests`, where its last result is. */
export function withResults(links: readonly RequirementLink[], tests: readonly Test[]): Kept {
  return { shown: links.filter((link) => linkedTestAmong(link, tests) !== undefined).length, total: links.length }
}

function linkedTestAmong(
  { test_id: linked, test_key: named }: RequirementLink,
  tests: readonly Test[],
): Test | undefined {
  return tests.find(({ id, key }) => (linked === undefined ? key !== undefined && key === named : id === linked))
}

/** A link, with the facts of its test where that is on the first page of tests, else only with its name. */
export async function describeLink(link: RequirementLink, tests: readonly Test[], local: LocalFiles | undefined) {
  const test = linkedTestAmong(link, tests)
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
