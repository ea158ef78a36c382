import * as z from 'zod'
import { counted } from '../src/lib/counted.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { nextCall, type NextAction } from '../src/mcp/result/next-action.ts'
import { fields, flag } from '../src/mcp/result/output.ts'
import { coverageState, keyOrId, linkColumns, rowTitle } from './support/columns.ts'
import { showNames, testReport } from './support/test-names.ts'
import type { RequirementInFull } from './support/quality/requirement-in-full.ts'
import { expectedCoverage, otherLinks, undoCall, undoNote, type Coverage } from './support/quality/unlinking.ts'
import { PREVIEW } from './support/words.ts'

export const unlinkTest = defineTool({
  name: 'unlink_test',
  toolset: 'tests',
  effect: 'delete',
  // One link, which record_tests makes again.
  level: () => 1,
  unconfirmed: 'ask the user which links to remove; dry_run shows what would change',
  title: 'Unlink a test from a requirement',
  description:
    'Remove the link between a test and a requirement that it does not prove; the requirement may become a coverage gap. ' +
    'The test and its results stay.',
  input: z.strictObject({
    product: parameters.Product,
    test: z.string().min(1).describe('Test key or id. From list_tests.'),
    requirement: z.string().min(1).describe('Requirement key or id. From get_test.'),
    dry_run: parameters.DryRun,
  }),
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['removed', 'would_remove', 'not_linked']),
    test: fields({ id: z.string(), title: rowTitle }),
    requirement: fields({ id: z.string(), title: rowTitle }),
    link: fields(linkColumns).optional(),
    before: fields(coverageState).optional(),
    after: fields(coverageState).optional(),
    other_tests: z.array(z.string()).optional(),
    undo: z.string().optional(),
  }),
  cuts: [{ path: 'other_tests', least: 5 }],

  async run({ product: given, test: testNamed, requirement: named, dry_run: dryRun }, context) {
    const { api, resolve, signal, local } = context
    const scope = given === undefined ? undefined : (await resolve.product(given, { write: true })).id
    const { test, product } = await resolve.test(testNamed, scope)
    const { requirement: found } = await resolve.requirement(named, product.id)
    const before = await readRequirement(found.id, context)
    const { requirement } = before
    const link = before.links?.find(({ test_id: id }) => id === test.id)
    if (link !== undefined && !dryRun) {
      context.countChanges([`${test.id} ${found.id}`])
      await api.unlinkTest({ test_id: test.id, requirement_id: found.id }, { signal })
    }
    const { facts, reported } = await showNames({ title: test.title, names_known: test.names_known }, local)
    const names = { test: keyOrId(test), requirement: keyOrId(requirement) }
    const outcome: Outcome = link === undefined ? 'not_linked' : dryRun ? 'would_remove' : 'removed'
    const after =
      outcome === 'removed'
        ? (await readRequirement(found.id, context)).requirement.coverage
        : link && expectedCoverage(before, link)
    const undo = outcome === 'removed' ? undoCall(test, names.requirement, product.id) : undefined
    const others = link === undefined ? [] : otherLinks(before, link)
    return {
      answer: outcomeSentence(names, outcome, { before: requirement.coverage, after, others: others.length }),
      product,
      data: {
        dry_run: dryRun,
        outcome,
        test: { id: names.test, title: facts.title },
        requirement: { id: names.requirement, title: requirement.title },
        link: link && { ...link, criteria: link.criterion_ids?.length || undefined },
        before: requirement.coverage,
        after,
        other_tests: others.map((other) => keyOrId({ id: other.test_id, key: other.test_key })),
        undo: link !== undefined && outcome === 'removed' ? undoNote(link, undo !== undefined) : undefined,
      },
      untrusted: { ...testReport, content: { test: reported && { id: names.test, ...reported } } },
      next: nextCalls(names, outcome, { undo, after, product: product.id }),
    }
  },
})

type Outcome = 'removed' | 'would_remove' | 'not_linked'

/** What the result calls the two. */
interface Names {
  test: string
  requirement: string
}

function readRequirement(id: string, { api, signal }: Context): Promise<RequirementInFull> {
  return api.getRequirement({ id }, { signal })
}

function outcomeSentence(
  { test, requirement }: Names,
  outcome: Outcome,
  { before, after, others }: { before: Coverage; after: Coverage; others: number },
): string {
  if (outcome === 'not_linked') return `${test} has no link to ${requirement}; nothing was changed.`
  const [was, is] = [before?.state ?? 'of unknown state', after?.state]
  const rest = counted(others, 'other linked test')
  if (outcome === 'removed')
    return `Unlinked ${test} from ${requirement}, which was ${was} and is ${is ?? 'of unknown state'} now; ${rest}.`
  const becomes = is === undefined ? `, and its state would depend on ${rest}` : ` and would be ${is}`
  return `${PREVIEW}would unlink ${test} from ${requirement}; ${requirement} is ${was}${becomes}.`
}

function nextCalls(
  { test, requirement }: Names,
  outcome: Outcome,
  { undo, after, product }: { undo: NextAction | undefined; after: Coverage; product: string },
) {
  if (outcome === 'not_linked') return [nextCall('get_test', { product, test }, 'its links')]
  if (outcome === 'would_remove' || after?.state === 'verified') return [undo]
  return [undo, nextCall('get_test_context', { product, requirement }, 'what a test of it has to show')]
}
