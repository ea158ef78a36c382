import * as z from 'zod'
import { counted } from '../src/lib/counted.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import type { Test } from '../src/mcp/resolve/types.ts'
import { nextCall, type NextAction } from '../src/mcp/result/next-action.ts'
import { fields, flag } from '../src/mcp/result/output.ts'
import { isRepeatable } from '../src/mcp/text/team.ts'
import { coverageState, keyOrId, linkColumns, rowTitle } from './support/columns.ts'
import { PREVIEW } from './support/words.ts'

/** A longer call would take the place of the result. */
const UNDO_CHARACTERS = 1000

export const unlinkTest = defineTool({
  name: 'unlink_test',
  toolset: 'tests',
  effect: 'delete',
  // One link, which record_tests makes again.
  level: () => 1,
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
    const { api, resolve, signal } = context
    const scope = given === undefined ? undefined : (await resolve.product(given, { write: true })).id
    const { test, product } = await resolve.test(testNamed, scope)
    const { requirement: found } = await resolve.requirement(named, product.id)
    const before = await readRequirement(found.id, context)
    const { requirement } = before
    const link = before.links?.find(({ test_id: id }) => id === test.id)
    if (link !== undefined && !dryRun) {
      await api.unlinkTest({ test_id: test.id, requirement_id: found.id }, { signal })
    }
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
        test: { id: names.test, title: test.title },
        requirement: { id: names.requirement, title: requirement.title },
        link: link && { ...link, criteria: link.criterion_ids?.length || undefined },
        before: requirement.coverage,
        after,
        other_tests: others.map((other) => keyOrId({ id: other.test_id, key: other.test_key })),
        undo: link !== undefined && outcome === 'removed' ? undoNote(link, undo !== undefined) : undefined,
      },
      next: nextCalls(names, outcome, { undo, after, product: product.id }),
    }
  },
})

type RequirementInFull = Awaited<ReturnType<Context['api']['getRequirement']>>
type Link = NonNullable<RequirementInFull['links']>[number]
type Coverage = RequirementInFull['requirement']['coverage']
type Outcome = 'removed' | 'would_remove' | 'not_linked'

/** What the result calls the two. */
interface Names {
  test: string
  requirement: string
}

function readRequirement(id: string, { api, signal }: Context): Promise<RequirementInFull> {
  return api.getRequirement({ id }, { signal })
}

/** The other links that count as coverage (contract §4). */
function otherLinks({ links = [] }: RequirementInFull, { test_id: test }: Link): Link[] {
  return links.filter((link) => link.test_id !== test && link.role !== 'LINK_ROLE_EXERCISES')
}

/** The coverage without the link, where it is certain without the results of the other tests. */
function expectedCoverage(read: RequirementInFull, link: Link): Coverage {
  if (link.role === 'LINK_ROLE_EXERCISES') return read.requirement.coverage
  const isLast = otherLinks(read, link).length === 0 && (read.children ?? []).length === 0
  return isLast ? { state: 'no_test' } : undefined
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

/** The call that links the test again, by where it is in the code; undefined for a test that no such call finds. */
function undoCall(test: Test, requirement: string, product: string): NextAction | undefined {
  const { file_path: file = '', suite_path: suites = [], name = '' } = test.automation_ref ?? {}
  const place = {
    title: name === '' ? (test.title ?? '') : name,
    ...(file !== '' && { file }),
    ...(suites.length > 0 && { suite: suites.join(' > ') }),
  }
  const isPlain = Object.values(place).every((text) => isRepeatable(text) && text.trim() === text && text !== '')
  if (test.kind === 'TEST_KIND_SUITE' || !isPlain || JSON.stringify(place).length > UNDO_CHARACTERS) return undefined
  return nextCall(
    'record_tests',
    { product, tests: [{ ...place, requirement_ids: [requirement] }] },
    'links it again, if the user wants that',
  )
}

function undoNote({ role, criterion_ids: criteria = [] }: Link, isOffered: boolean): string | undefined {
  if (!isOffered) return 'no call links this test again'
  const isWhole = role === 'LINK_ROLE_VERIFIES' && criteria.length === 0
  return isWhole ? undefined : 'links it again, as proof of the whole requirement'
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
