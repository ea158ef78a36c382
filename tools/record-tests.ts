import * as z from 'zod'
import { inBatches } from '../src/lib/batches.ts'
import { inLanes } from '../src/lib/lanes.ts'
import { oncePer } from '../src/lib/once.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { mayBeId } from '../src/mcp/resolve/ids.ts'
import { everyPage } from '../src/mcp/resolve/requests.ts'
import type { Requirement, Test } from '../src/mcp/resolve/types.ts'
import { nextCall, type NextAction } from '../src/mcp/result/next-action.ts'
import { fields, flag, rows, teamLine, upTo } from '../src/mcp/result/output.ts'
import { describeValue, TeachingError } from '../src/mcp/result/teach.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import { branchSentence, namedBranch, onBranch } from './support/named-branch.ts'
import { coverageState, keyOrId, listed, repositoryPath, rowTitle } from './support/columns.ts'
import { createCaseFinder } from './support/quality/find-cases.ts'
import { isTracegate } from './support/is-tracegate.ts'
import {
  checkCall,
  type Registered,
  type Registering,
  registerTest,
  type WantedTest,
} from './support/quality/register-test.ts'
import { findIssues, findRequirements, mergeTests, READS_AT_ONCE, TestInput } from './support/quality/wanted-tests.ts'
import { countWords, PREVIEW } from './support/words.ts'
import { ifReadable, UNKNOWN_ROWS } from './support/writes/outcome.ts'

/** Rows of requirements in the answer. */
const STATES = 50

/** What follows; a sentence with a tool that is not offered is left out. */
const AFTERWARDS =
  'Run the tests, then send their report with ingest_test_report: only a result that passed verifies a requirement.'
/** On a branch a link counts once it is accepted. */
const PROPOSED = 'The user decides the proposed links: each counts once it is accepted.'

export const recordTests = defineTool({
  name: 'record_tests',
  toolset: 'default',
  // The same call again changes nothing.
  effect: 'update',
  title: 'Register tests and link them to requirements',
  description:
    'Register, add or update test cases you wrote in the repository and link them to the requirements they prove; ' +
    'a link in doubt, because the requirement changed, stays so unless confirm_links. ' +
    'With branch, links become proposals on that quality branch. ' +
    'Safe to repeat: the same title, suite and file are the same test. Does not run tests.',
  input: z.strictObject({
    product: parameters.Product,
    tests: z.array(TestInput).min(1).max(25).describe('1-25 test cases.'),
    branch: parameters.Branch,
    confirm_links: z.boolean().optional().describe('Confirm links in doubt, after reading what changed; needs reason.'),
    reason: z.string().trim().min(1).max(1000).optional().describe('Why links in doubt still hold.'),
    dry_run: parameters.DryRun,
  }),
  output: z.object({
    dry_run: flag.optional(),
    rows: z.array(
      fields({ id: z.string().optional() }).extend({
        outcome: z.enum(['created', 'updated', 'already', 'would_create', 'would_update', 'unknown', 'failed']),
        ...fields({ title: rowTitle, file: repositoryPath, links: upTo(teamLine, 2000), error: z.string() }).shape,
      }),
    ),
    requirements: rows({ id: z.string(), title: rowTitle, ...coverageState }).optional(),
    changed: rows({ id: z.string(), test: z.string(), change: upTo(teamLine, 600) }).optional(),
    afterwards: z.string().optional(),
    undo: z.string().optional(),
  }),
  cuts: [{ path: 'requirements', least: 5 }, { path: 'changed', least: 3 }, { path: 'rows' }],

  async run({ product: given, tests, branch: branchNamed, confirm_links: confirms, reason, dry_run: dryRun }, context) {
    if (confirms === true && reason === undefined) throw reasonMissing()
    const product = await context.resolve.product(given, { write: true })
    const branch = await namedBranch(branchNamed, product.id, context)
    const wanted = mergeTests(tests)
    const scope = { product_id: product.id, branch_id: branch?.id }
    const find = oncePer(createCaseFinder(context, scope))
    // A failure of finding shows in the row of its test.
    const finding = inBatches(wanted, READS_AT_ONCE, (test) => find(test).catch(() => []))
    const [requirements, issues, mayValidate, known] = await Promise.all([
      findRequirements(wanted, scope, context),
      findIssues(wanted, product.id, context),
      dryRun && isTracegate(context),
      finding,
    ])
    const findAgain = createCaseFinder(context, scope)
    const registering = {
      context,
      productId: product.id,
      branch: branch?.id,
      confirm: confirms === true ? reason : undefined,
      dryRun,
      mayValidate,
      requirements,
      issues,
      find,
      findAgain,
    }
    const registered = await registerAll(wanted, known, registering)
    const [first, ...others] = registered
    if (
      registered.every(isNothingDone) ||
      (others.length === 0 && first?.outcome === 'unknown' && first.links.length === 0)
    )
      throw first?.cause
    const isProposed = registered.some(({ links }) => links.some(({ outcome }) => outcome === 'proposed'))
    const linked = linkedRequirements(registered).slice(0, STATES)
    const states = dryRun ? linked : await readAgain(linked, scope, context)
    return {
      answer: outcomeSentence(registered, dryRun) + branchSentence(branch),
      product,
      data: {
        dry_run: dryRun,
        rows: registered.map(toRow),
        requirements: states.map((row) => ({ ...row, ...row.coverage, id: keyOrId(row) })),
        changed: changedRequirements(registered),
        afterwards: dryRun
          ? undefined
          : sentencesOffered(isProposed ? `${AFTERWARDS} ${PROPOSED}` : AFTERWARDS, context.offers),
        undo: sentencesOffered(undoSentences(registered, branch !== undefined), context.offers) || undefined,
      },
      next: [
        ...checkCalls(registered, product.id),
        isProposed
          ? nextCall(
              'review_branch',
              { product: product.id, ...onBranch(branch) },
              'the links that wait for a decision',
            )
          : undefined,
      ],
    }
  },
})

function reasonMissing(): TeachingError {
  return new TeachingError('invalid_argument', 'a confirmation of links needs a reason', {
    sent: 'confirm_links = true without reason',
    expected: 'reason, which says how you know that the tests still prove the changed requirements',
  })
}

/** Registers tests that have no known case in common concurrently, the others in the order given. */
async function registerAll(
  wanted: readonly WantedTest[],
  known: readonly (readonly Test[])[],
  registering: Registering,
): Promise<Registered[]> {
  const rows = new Map<WantedTest, Registered[]>()
  const lanes = inLanes(wanted, (_, index) => (known[index] ?? []).map(({ id }) => id))
  await inBatches(lanes, READS_AT_ONCE, async (lane) => {
    for (const test of lane) rows.set(test, await registerTest(test, registering))
  })
  return wanted.flatMap((test) => rows.get(test) ?? [])
}

/** Nothing was written, so that the failure is the whole answer. */
function isNothingDone({ outcome, links, cause }: Registered): boolean {
  return outcome === 'failed' && cause !== undefined && links.every((link) => link.outcome === 'failed')
}

/** The calls that show what became of tests and links whose outcome is unknown; tests that are known have their own. */
function checkCalls(rows: readonly Registered[], product: string): NextAction[] {
  const unknown = rows.filter(({ outcome, links }) =>
    [outcome, ...links.map((link) => link.outcome)].includes('unknown'),
  )
  return unknown.map((row) => checkCall(row, product))
}

/** The requirements that the tests are linked to now, or would be. */
function linkedRequirements(rows: readonly Registered[]): Requirement[] {
  const links = rows.flatMap((row) => row.links).filter(({ outcome }) => outcome !== 'failed' && outcome !== 'unknown')
  const linked = links.flatMap(({ requirement }) => requirement ?? [])
  return [...new Map(linked.map((row) => [row.id, row])).values()]
}

/** How the requirements changed since the tests were linked to them. */
function changedRequirements(rows: readonly Registered[]) {
  const changes = rows.flatMap(({ test, links }) =>
    links.flatMap(({ requirement, change }) =>
      requirement === undefined || change === undefined
        ? []
        : [{ id: keyOrId(requirement), test: test && keyOrId(test), change }],
    ),
  )
  return changes.length === 0 ? undefined : changes
}

/** The requirements after the write; none where they cannot be read, because the write is done all the same. */
async function readAgain(
  requirements: readonly Requirement[],
  scope: { product_id: string; branch_id: string | undefined },
  { api, signal }: Context,
): Promise<readonly Requirement[]> {
  const key = requirements.flatMap((row) => row.key ?? [])
  if (key.length === 0) return []
  const found = await ifReadable(
    everyPage(
      (page) => api.listRequirements({ ...scope, key, view: 'REQUIREMENT_VIEW_BASIC', ...page }, { signal }),
      'requirements',
    ),
  )
  const asked = new Set(requirements.map(({ id }) => id))
  return (found?.rows ?? []).filter(({ id }) => asked.has(id))
}

function toRow({ wanted, test, outcome, links, error }: Registered) {
  const outcomes = links.map(({ given, requirement, outcome: linkOutcome, error: why }) => {
    // What is not an id may be an outsider's text that was pasted: only its shape is shown.
    const name = requirement !== undefined ? keyOrId(requirement) : mayBeId(given) ? given : describeValue(given)
    return `${name} ${linkOutcome}${why === undefined ? '' : ` (${why})`}`
  })
  const { title, file } = wanted
  return { id: test && keyOrId(test), outcome, title, file, links: listed(outcomes), error }
}

/** Which tools take back what was made; empty for what no call takes back, such as a test on a branch. */
function undoSentences(rows: readonly Registered[], isOnBranch: boolean): string {
  const links = rows.flatMap((row) => row.links)
  return [
    links.some(({ outcome }) => outcome === 'linked') && 'To take a link away: unlink_test.',
    links.some(({ outcome }) => outcome === 'proposed') && 'To reject a proposed link: decide_link_proposals.',
    !isOnBranch && rows.some(({ outcome }) => outcome === 'created') && 'To take a test away: delete_test.',
  ]
    .filter(Boolean)
    .join(' ')
}

function outcomeSentence(rows: readonly Registered[], dryRun: boolean): string {
  const tests = (outcome: Registered['outcome']) => rows.filter((row) => row.outcome === outcome).length
  const links = (outcome: string) => rows.flatMap((row) => row.links).filter((link) => link.outcome === outcome).length
  const words = countWords([
    [tests('created'), 'test', 'created'],
    [tests('updated'), 'test', 'updated'],
    [tests('would_create'), 'test', 'would be created'],
    [tests('would_update'), 'test', 'would be updated'],
    [tests('already'), 'test', 'known already'],
    [tests('unknown'), 'test', 'of unknown outcome'],
    [tests('failed'), 'test', 'failed'],
    [links('linked'), 'link', 'made'],
    [links('would_link'), 'link', 'would be made'],
    [links('would_confirm'), 'link', 'would be confirmed'],
    [links('confirmed'), 'link', 'confirmed'],
    [links('in_doubt'), 'link', 'still in doubt'],
    [links('proposed'), 'link', 'proposed'],
    [links('already'), 'link', 'there already'],
    [links('unknown'), 'link', 'of unknown outcome'],
    [links('failed'), 'link', 'failed'],
  ])
  const isUnknown = tests('unknown') + links('unknown') > 0
  return `${dryRun ? PREVIEW : ''}${words}.${isUnknown ? ` ${UNKNOWN_ROWS}` : ''}`
}
