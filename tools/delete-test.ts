import * as z from 'zod'
import { counted } from '../src/lib/counted.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { type Context, defineTool, type Question } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { isProvisional } from '../src/mcp/resolve/ids.ts'
import { ifOffered } from '../src/mcp/resolve/offered.ts'
import type { Branch, Product, Test } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag } from '../src/mcp/result/output.ts'
import { withoutPrefix } from '../src/mcp/result/present.ts'
import { TeachingError } from '../src/mcp/result/teach.ts'
import { keyOrId, listed, rowTitle } from './support/columns.ts'
import { coverageWithout, type Loss } from './support/deleting/coverage-loss.ts'
import { branchSentence, branchWords, explainMissingBranch, namedBranch, onBranch } from './support/named-branch.ts'
import { factList, removeThing, requireDraft, saidReason } from './support/deleting/remove.ts'
import { lastResult } from './support/quality/tests.ts'
import { showNames, testReport } from './support/test-names.ts'
import { MERGE_DELETES, PREVIEW } from './support/words.ts'
import { READ_BACK } from './support/writes/outcome.ts'

const input = z.strictObject({
  product: parameters.Product,
  test: z.string().min(1).describe('Test key or id. From list_tests.'),
  branch: parameters.Branch,
  reason: parameters.named('Why; people see it.', z.string().trim().min(1).max(1000)),
  dry_run: parameters.DryRun,
  confirmation: parameters.Confirmation,
})

export const deleteTest = defineTool({
  name: 'delete_test',
  toolset: 'tests',
  effect: 'delete',
  // On a branch it is a change, which the user decides with the merge.
  level: ({ branch }) => (branch === undefined ? 3 : 1),
  unconfirmed: 'ask the user to delete it in the web interface; unlink_test removes one link',
  title: 'Delete a registered test',
  description:
    'Delete one registered test that is no longer in the code, and its links, for good, once the user confirms.',
  input,
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['deleted', 'would_delete', 'would_be_refused']),
    test: fields({ id: z.string(), title: rowTitle }),
    left_without_a_test: z.array(z.string()).optional(),
    unlinked_from: z.array(z.string()).optional(),
  }),
  cuts: [
    { path: 'unlinked_from', least: 5 },
    { path: 'left_without_a_test', least: 5 },
  ],

  async confirm(args, context) {
    const subject = await readSubject(args, context)
    refuseSuite(subject)
    const { key, product, branch, test, loss } = subject
    const facts = testFacts(test, loss)
    return {
      asks: `Delete test ${key}${branchWords(branch)}`,
      product,
      facts,
      key,
      undo: '',
      state: stateDigest([branch?.id, test.id, test.etag, facts]),
    }
  },

  async run({ dry_run: dryRun, ...args }, context) {
    const subject = await readSubject(args, context)
    const { key, product, branch, test, loss, hasTests } = subject
    if (!dryRun) refuseSuite(subject)
    const isReadBack = !dryRun && (await remove(subject, args.reason, context))
    const { facts, reported } = await showNames({ title: test.title, names_known: test.names_known }, context.local)
    const done = dryRun ? `${PREVIEW}${previewWords(subject)}` : `Deleted ${key}${lossWords(loss)}`
    const waits = branch !== undefined && !hasTests && !isProvisional(key)
    return {
      answer: `${done}.${isReadBack ? READ_BACK : ''}${branchSentence(branch)}${waits ? MERGE_DELETES : ''}`,
      product,
      data: {
        dry_run: dryRun,
        outcome: !dryRun ? ('deleted' as const) : hasTests ? ('would_be_refused' as const) : ('would_delete' as const),
        test: { id: key, title: facts.title },
        left_without_a_test: loss.untested,
        unlinked_from: loss.linked,
      },
      untrusted: { ...testReport, content: { test: reported && { id: key, ...reported } } },
      next: dryRun ? [] : nextCalls(subject),
    }
  },
})

interface Subject {
  key: string
  product: Product
  branch: Branch | undefined
  test: Test
  loss: Loss
  /** A suite that still has tests. */
  hasTests: boolean
}

/** The test with what hangs on it. */
async function readSubject(
  { product: given, test: named, branch: branchNamed }: Omit<z.output<typeof input>, 'reason' | 'dry_run'>,
  context: Context,
): Promise<Subject> {
  const { api, resolve, signal } = context
  const scope = given === undefined ? undefined : (await resolve.product(given, { write: true })).id
  const branch = await namedBranch(branchNamed, scope, context)
  const { test: found, product } = await resolve.test(named, branch?.product_id ?? scope, branch?.id)
  const read = await ifOffered(api.getTest({ id: found.id, branch_id: branch?.id }, { signal })).catch(
    explainMissingBranch(branch),
  )
  const test = read?.test ?? found
  const loss = await coverageWithout({ test, links: read?.links, branchId: branch?.id }, context)
  const hasTests = await isFilledSuite(test, { product, branch }, context)
  return { key: keyOrId(test), product, branch, test, loss, hasTests }
}

function nextCalls({ product, branch, loss }: Subject) {
  const [gap] = loss.untested
  const on = { product: product.id, ...onBranch(branch) }
  return [
    gap === undefined
      ? undefined
      : nextCall('get_test_context', { ...on, requirement: gap }, 'what a test of it has to show'),
    branch && nextCall('review_branch', on, 'what its merge changes'),
  ]
}

/** True where the reply was lost and a read shows that it is gone. */
async function remove(
  { key, product, branch, test: { id, etag } }: Subject,
  reason: string,
  context: Context,
): Promise<boolean> {
  const { api, signal } = context
  if (branch !== undefined) await requireDraft(id, context)
  const said = await saidReason(reason, context)
  const on = { id, branch_id: branch?.id }
  const shown = { product: product.id, ...onBranch(branch), test: key }
  return removeThing({
    noun: 'tests',
    remove: () =>
      api
        .deleteTest({ ...on, ...(etag !== undefined && { etag }), ...said }, { signal })
        .catch(explainMissingBranch(branch)),
    read: () => api.getTest(on, { signal }),
    check: nextCall('get_test', shown, 'shows whether it is there'),
  })
}

async function isFilledSuite(
  { id, kind }: Test,
  { product, branch }: Pick<Subject, 'product' | 'branch'>,
  { api, signal }: Context,
): Promise<boolean> {
  if (kind !== 'TEST_KIND_SUITE') return false
  const query = { product_id: product.id, branch_id: branch?.id, parent_id: id, page_size: 1 }
  const below = await ifOffered(api.listTests(query, { signal }))
  return below?.tests.some((test) => test.parent_id === id) === true
}

function suiteWords(key: string): string {
  return `${key} is a suite that still has tests, which have to be deleted first`
}

function refuseSuite({ key, hasTests }: Subject): void {
  if (!hasTests) return
  const lesson = { hint: 'delete its tests one by one, or ask the user to delete the suite in the web interface.' }
  throw new TeachingError('failed_precondition', suiteWords(key), lesson, { reason: 'HAS_CHILDREN' })
}

function previewWords({ key, loss, hasTests }: Subject): string {
  return hasTests ? suiteWords(key) : `would delete ${key}${lossWords(loss)}`
}

/** What a person is shown, without the name of the test: a report may have given it. */
function testFacts(test: Test, { linked, untested, isWhole }: Loss): Question['facts'] {
  const left = untested.length > 0 ? listed(untested) : isWhole ? 'none' : 'not stated'
  return factList({
    kind: withoutPrefix(test.kind, 'TEST_KIND_'),
    status: withoutPrefix(test.status, 'TEST_STATUS_'),
    'in quarantine': test.quarantined === true ? 'yes' : undefined,
    'last result': lastResult(test) ?? 'not stated',
    'links that are removed': linked === undefined ? 'not stated' : (listed(linked) ?? 'none'),
    'left without a test': left,
    kept: 'its results, for 30 days',
  })
}

function lossWords({ linked, untested }: Loss): string {
  if (linked === undefined) return ''
  const gaps =
    untested.length === 0
      ? ''
      : `; ${counted(untested.length, 'requirement')} left without a test: ${untested.slice(0, 5).join(', ')}`
  return `, which was linked to ${counted(linked.length, 'requirement')}${gaps}`
}
