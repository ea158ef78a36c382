import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { isNotOffered, notOffered } from '../../../src/mcp/resolve/offered.ts'
import type { Requirement, Test } from '../../../src/mcp/resolve/types.ts'
import { nextCall, type NextAction } from '../../../src/mcp/result/next-action.ts'
import { describeValue, isShowable, TeachingError } from '../../../src/mcp/result/teach.ts'
import { hasText } from '../../../src/mcp/text/untrusted.ts'
import { keyOrId } from '../columns.ts'
import { failureWords, ifReadable, isLost, mayBeDone, unknownOutcome } from '../writes/outcome.ts'
import type { TestPlace } from './find-cases.ts'
import { isTemplate } from './title-templates.ts'
import { linkRequirements, type Linked, type WantedLink } from './link-test.ts'
import { splitCriterion } from './criteria.ts'

/** A test that the caller wrote in the repository. */
export interface WantedTest extends TestPlace {
  /** As the caller named them. */
  requirements: readonly string[]
  issue?: string | undefined
}

export interface Registered {
  wanted: WantedTest
  /** Undefined if no test is known: it failed, or it is a preview. */
  test: Test | undefined
  outcome: 'created' | 'updated' | 'already' | 'would_create' | 'would_update' | 'unknown' | 'failed'
  links: Linked[]
  error?: string
  /** What failed. */
  cause?: unknown
}

export interface Registering {
  context: Pick<Context, 'api' | 'signal'>
  productId: string
  branch: string | undefined
  /** Why links in doubt still hold; undefined: they stay in doubt. */
  confirm: string | undefined
  /** Nothing is written. */
  dryRun: boolean
  /** In a preview the service may be asked as well, because this one then writes nothing (contract §0.6). */
  mayValidate: boolean
  /** By what the caller wrote, without those that do not exist. */
  requirements: ReadonlyMap<string, Requirement>
  /** Ids of issues, in the same way. */
  issues: ReadonlyMap<string, string>
  find(place: TestPlace): Promise<Test[]>
  /** The same without remembered answers. */
  findAgain(place: TestPlace): Promise<Test[]>
}

/** The title in the code is not the name of a case, so the case would never run. */
const TEMPLATE =
  'a title of many cases, whose names the report has: put the key of the requirement into it, as in [REQ-12], and send the report'

/** The contract's longest title; a name in the code may be longer. */
const TITLE_CHARACTERS = 200

/**
 * Registers one test with its links: the known cases at its place are brought up to date, otherwise one is made. A failure
 * is reported in the row and undoes nothing; a write that may have been done is looked for by a read.
 */
export async function registerTest(wanted: WantedTest, registering: Registering): Promise<Registered[]> {
  try {
    requireIssue(wanted, registering)
    const known = await registering.find(wanted)
    if (known.length === 0) return [await create(wanted, registering)]
    return await Promise.all(known.map((test) => update(test, wanted, registering).catch(failedRow(wanted, test))))
  } catch (error) {
    return [failedRow(wanted, undefined)(error)]
  }
}

/** For `catch`: the row of a test that failed. Rethrows anything but a `ServiceError`. */
function failedRow(wanted: WantedTest, test: Test | undefined): (error: unknown) => Registered {
  return (error) => {
    const row = { wanted, test, links: [], cause: error }
    const isUnknown = error instanceof ServiceError && error.code === 'outcome_unknown'
    return isUnknown ? { ...row, outcome: 'unknown' } : { ...row, outcome: 'failed', error: failureWords(error) }
  }
}

function requireIssue({ issue }: WantedTest, { issues, productId }: Registering): void {
  if (issue !== undefined && !issues.has(issue))
    throw new TeachingError('not_found', 'no such issue in the product', {
      sent: `tests[].issue = ${describeValue(issue)}`,
      expected: 'the key or id of an error issue, as in find_error_issues',
      next: nextCall('find_error_issues', { product: productId, status: 'any' }, 'lists the issues'),
    })
}

async function create(wanted: WantedTest, registering: Registering): Promise<Registered> {
  if (isTemplate(wanted.title)) throw new TeachingError('invalid_argument', TEMPLATE, {})
  const { dryRun, mayValidate } = registering
  if (dryRun && !mayValidate) return linked(undefined, wanted, 'would_create', registering)
  const { test, isNew } = await make(wanted, registering)
  if (!isNew) return update(test, wanted, registering)
  return dryRun
    ? linked(undefined, wanted, 'would_create', registering)
    : linked({ ...test, link_count: 0 }, wanted, 'created', registering)
}

async function make(
  { title, file, suites, issue = '' }: WantedTest,
  registering: Registering,
): Promise<{ test: Test; isNew: boolean }> {
  const { context, productId, branch, dryRun } = registering
  try {
    const { test } = await context.api.createTest(
      {
        product_id: productId,
        kind: 'TEST_KIND_CASE',
        title: title.slice(0, TITLE_CHARACTERS),
        automation_ref: file === undefined ? undefined : { file_path: file, suite_path: [...suites], name: title },
        issue_id: registering.issues.get(issue),
        branch_id: branch,
        validate_only: dryRun || undefined,
      },
      { signal: context.signal },
    )
    return { test, isNew: true }
  } catch (error) {
    if (isNotOffered(error)) throw notOffered('the registering of tests', { hint: REPORT_INSTEAD }, error)
    if (!isLost(error) || dryRun) return { test: await existing(error, registering), isNew: false }
    const [made] = (await ifReadable(registering.findAgain({ title, file, suites }))) ?? []
    if (made === undefined) throw unknownOutcome(error, { next: findCall(title, productId) })
    return { test: made, isNew: true }
  }
}

const REPORT_INSTEAD =
  'send a report with [REQ-12] in the names of the tests; linking known tests by key (TC-7) still works.'

/** The call that shows what became of a test or of its links. */
export function checkCall({ test, wanted }: Pick<Registered, 'test' | 'wanted'>, product: string): NextAction {
  return test === undefined
    ? findCall(wanted.title, product)
    : nextCall('get_test', { product, test: keyOrId(test) }, 'shows what became of it: before you repeat anything')
}

/** The call that shows whether a test was made. The title is the caller's text, which may be an outsider's. */
function findCall(title: string, product: string): NextAction {
  return nextCall('list_tests', { product, ...(isShowable(title) && { match: title }) }, 'shows whether it was made')
}

/** The case that a new one conflicts with: its path is written in another way than the service keeps it. */
async function existing(error: unknown, { context, productId }: Registering): Promise<Test> {
  const id =
    error instanceof ServiceError && error.code === 'already_exists' ? error.metadata['existing_id'] : undefined
  if (id === undefined) throw error
  const { test } = await context.api.getTest({ id }, { signal: context.signal })
  if (test.product_id !== productId) throw error
  return test
}

async function update(test: Test, wanted: WantedTest, registering: Registering): Promise<Registered> {
  const { context, productId, branch, dryRun } = registering
  const change = changedFields(test, wanted, registering)
  if (change === undefined) return linked(test, wanted, 'already', registering)
  if (dryRun) return linked(test, wanted, 'would_update', registering)
  try {
    const request = { id: test.id, ...change, branch_id: branch }
    const { test: updated } = await context.api.updateTest(request, { signal: context.signal })
    return await linked(updated, wanted, 'updated', registering)
  } catch (error) {
    // Links do not depend on what the update changes.
    if (isNotOffered(error)) {
      const cause = notOffered('changes of tests', {}, error)
      return { ...(await linked(test, wanted, 'failed', registering)), error: failureWords(cause), cause }
    }
    if (!mayBeDone(error)) throw error
    const now = await ifReadable(context.api.getTest({ id: test.id }, { signal: context.signal }))
    if (now !== undefined && changedFields(now.test, wanted, registering) === undefined) {
      return linked(now.test, wanted, 'updated', registering)
    }
    const cause = unknownOutcome(error, { next: checkCall({ test, wanted }, productId) })
    return { ...(await linked(test, wanted, 'unknown', registering)), cause }
  }
}

/** What the caller's test says that the known one does not: where it is, that its names are right, and that it exists. */
function changedFields(test: Test, wanted: WantedTest, { issues }: Registering) {
  const { automation_ref: place, status, names_known: known } = test
  const { title, file, suites } = wanted
  const change = {
    ...(file !== undefined &&
      (known === false || !hasText(place?.file_path)) && {
        automation_ref: { file_path: file, suite_path: [...suites], name: title },
      }),
    ...(wanted.issue !== undefined &&
      issues.get(wanted.issue) !== test.issue?.id && { issue_id: issues.get(wanted.issue) }),
    ...((status === 'TEST_STATUS_DRAFT' || status === 'TEST_STATUS_DEPRECATED') && {
      status: 'TEST_STATUS_ACTIVE' as const,
    }),
  }
  return Object.keys(change).length === 0 ? undefined : change
}

async function linked(
  test: Test | undefined,
  wanted: WantedTest,
  outcome: Registered['outcome'],
  { context, branch, confirm, dryRun, requirements }: Registering,
): Promise<Registered> {
  const links = await linkRequirements(test, wantedLinks(wanted, requirements), { context, branch, confirm, dryRun })
  return { wanted, test, outcome, links }
}

/** Each requirement once, with the criteria that it is named for. */
function wantedLinks({ requirements: named }: WantedTest, known: ReadonlyMap<string, Requirement>): WantedLink[] {
  const links = new Map<string, WantedLink>()
  for (const given of named) {
    const { name, criterion } = splitCriterion(given)
    const requirement = known.get(name)
    const key = requirement?.id ?? given
    const { criteria = [] } = links.get(key) ?? {}
    links.set(key, {
      given: name,
      requirement,
      criteria: criterion === undefined ? criteria : [...criteria, criterion],
    })
  }
  return [...links.values()]
}
