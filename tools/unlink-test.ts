import * as z from 'zod'
import { keyOf, stateOf } from './support/coverage-text.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import { noteLine, withoutPrefix } from './support/facts.ts'
import { counted } from '../src/lib/counted.ts'
import type { Test } from '../src/mcp/resolve/types.ts'
import type { NextAction } from '../src/mcp/result/next-action.ts'
import { isRepeatable } from '../src/mcp/text/note-text.ts'
import * as parameters from '../src/mcp/define/parameters.ts'

/** A longer call would take the place of the result. */
const UNDO_CHARACTERS = 1000

const Named = z.object({ id: z.string(), title: z.string().optional() })
const State = z.object({
  state: z.string().optional(),
  failing: z.boolean().optional(),
  suspect: z.boolean().optional(),
})

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
    dry_run: z.boolean().optional(),
    outcome: z.enum(['removed', 'would_remove', 'not_linked']),
    test: Named,
    requirement: Named,
    link: z
      .object({
        role: z.string().optional(),
        state: z.string().optional(),
        origin: z.string().optional(),
        criteria: z.int().optional(),
      })
      .optional(),
    before: State.optional(),
    after: State.optional(),
    other_tests: z.array(z.string()).optional(),
    undo: z.string().optional(),
  }),
  cuts: [{ path: 'other_tests', least: 5 }],

  async run({ product: given, test: testNamed, requirement: named, dry_run: dryRun }, context) {
    const scope = given === undefined ? undefined : (await context.resolve.product(given, { write: true })).id
    const { test, product } = await context.resolve.test(testNamed, scope)
    const { requirement: found } = await context.resolve.requirement(named, product.id)
    const before = await readRequirement(found.id, context)
    const link = before.links?.find(({ test_id: id }) => id === test.id)
    if (link !== undefined && !dryRun) {
      await context.api.unlinkTest({ test_id: test.id, requirement_id: found.id }, { signal: context.signal })
    }
    const [testKey, key] = [keyOf(test), keyOf(before.requirement)]
    const outcome: Outcome = link === undefined ? 'not_linked' : dryRun ? 'would_remove' : 'removed'
    const after =
      link === undefined
        ? undefined
        : dryRun
          ? expected(before, link)
          : stateOf((await readRequirement(found.id, context)).requirement.coverage)
    const undo = outcome === 'removed' ? undoOf(test, key, product.id) : undefined
    const others = link === undefined ? [] : otherLinks(before, link)
    return {
      answer: answerLine({
        testKey,
        key,
        outcome,
        was: before.requirement.coverage?.state,
        after,
        others: others.length,
      }),
      product,
      data: {
        ...(dryRun && { dry_run: true }),
        outcome,
        test: { id: testKey, title: noteLine(test.title, 120) },
        requirement: { id: key, title: noteLine(before.requirement.title, 120) },
        link: link && linkOf(link),
        before: stateOf(before.requirement.coverage),
        after,
        other_tests: others.map((other) => keyOf({ id: other.test_id, key: other.test_key })),
        ...(link !== undefined && outcome === 'removed' && { undo: undoNote(link, undo !== undefined) }),
      },
      next: nextOf({ outcome, undo, after, testKey, key, product: product.id }),
    }
  },
})

type Read = Awaited<ReturnType<Context['api']['getRequirement']>>
type Link = NonNullable<Read['links']>[number]
type Outcome = 'removed' | 'would_remove' | 'not_linked'
type State = ReturnType<typeof stateOf>

function readRequirement(id: string, { api, signal }: Context): Promise<Read> {
  return api.getRequirement({ id }, { signal })
}

/** The other links that count as coverage (contract §4). */
function otherLinks({ links = [] }: Read, { test_id: test }: Link): Link[] {
  return links.filter((link) => link.test_id !== test && link.role !== 'LINK_ROLE_EXERCISES')
}

/** The state without the link, where it is sure without the results of what remains. */
function expected(read: Read, link: Link): State | undefined {
  if (link.role === 'LINK_ROLE_EXERCISES') return stateOf(read.requirement.coverage)
  const isLast = otherLinks(read, link).length === 0 && (read.children ?? []).length === 0
  return isLast ? { state: 'no_test' } : undefined
}

function linkOf({ role, state, origin, criterion_ids: criteria = [] }: Link) {
  return {
    role: withoutPrefix(role, 'LINK_ROLE_'),
    state: withoutPrefix(state, 'LINK_STATE_'),
    origin: withoutPrefix(origin, 'LINK_ORIGIN_'),
    ...(criteria.length > 0 && { criteria: criteria.length }),
  }
}

interface Told {
  testKey: string
  key: string
  outcome: Outcome
  was: string | undefined
  after: State | undefined
  others: number
}

function answerLine({ testKey, key, outcome, was = 'of unknown state', after, others }: Told): string {
  if (outcome === 'not_linked') return `${testKey} has no link to ${key}; nothing was changed.`
  const rest = counted(others, 'other linked test')
  if (outcome === 'removed')
    return `Unlinked ${testKey} from ${key}, which was ${was} and is ${after?.state ?? 'of unknown state'} now; ${rest}.`
  const becomes =
    after?.state === undefined
      ? `${key} is ${was}, and its state would rest on ${rest}`
      : `${key} is ${was} and would be ${after.state}`
  return `Preview, nothing written: would unlink ${testKey} from ${key}; ${becomes}.`
}

/** The call that links the test again, by where it is in the code; undefined for what no such call finds. */
function undoOf(test: Test, requirement: string, product: string): NextAction | undefined {
  const { file_path: file = '', suite_path: suites = [], name = '' } = test.automation_ref ?? {}
  const place = {
    title: name === '' ? (test.title ?? '') : name,
    ...(file !== '' && { file }),
    ...(suites.length > 0 && { suite: suites.join(' > ') }),
  }
  const isPlain = Object.values(place).every((text) => isRepeatable(text) && text.trim() === text && text !== '')
  if (test.kind === 'TEST_KIND_SUITE' || !isPlain || JSON.stringify(place).length > UNDO_CHARACTERS) return undefined
  return {
    tool: 'record_tests',
    why: 'links it again, if the user wants that',
    args: { product, tests: [{ ...place, requirement_ids: [requirement] }] },
  }
}

function undoNote({ role, criterion_ids: criteria = [] }: Link, isOffered: boolean): string | undefined {
  if (!isOffered) return 'no call links this test again'
  const isWhole = role === 'LINK_ROLE_VERIFIES' && criteria.length === 0
  return isWhole ? undefined : 'links it again, as proof of the whole requirement'
}

function nextOf({
  outcome,
  undo,
  after,
  testKey,
  key,
  product,
}: Pick<Told, 'outcome' | 'after' | 'testKey' | 'key'> & {
  undo: NextAction | undefined
  product: string
}): NextAction[] {
  if (outcome === 'not_linked') return [{ tool: 'get_test', why: 'its links', args: { product, test: testKey } }]
  if (outcome === 'would_remove') return []
  const gap = { tool: 'get_test_context', why: 'what a test of it has to show', args: { product, requirement: key } }
  return [...(undo === undefined ? [] : [undo]), ...(after?.state === 'verified' ? [] : [gap])]
}
