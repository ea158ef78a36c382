import * as z from 'zod'
import { ServiceError } from '../src/errors.ts'
import { counted } from '../src/lib/counted.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { explainNotOffered, ifOffered } from '../src/mcp/resolve/offered.ts'
import type { Product, Test } from '../src/mcp/resolve/types.ts'
import { nextCall, type NextAction } from '../src/mcp/result/next-action.ts'
import { fields, flag } from '../src/mcp/result/output.ts'
import { coverageState, keyOrId, linkColumns, rowTitle } from './support/columns.ts'
import { showNames, testReport } from './support/test-names.ts'
import { listedAlone, readForWrite, type RequirementInFull } from './support/quality/requirement-in-full.ts'
import { expectedCoverage, otherLinks, undoCall, undoNote, type Coverage } from './support/quality/unlinking.ts'
import { unlinkQuestion } from './support/confirm/unlink-question.ts'
import { saidReason } from './support/deleting/remove.ts'
import { PREVIEW } from './support/words.ts'
import { ifReadable, mayBeDone, READ_BACK, unknownOutcome } from './support/writes/outcome.ts'

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
    reason: parameters.named('Why; people see it in the quality gate.', z.string().trim().min(1).max(1000).optional()),
    dry_run: parameters.DryRun,
    confirmation: parameters.Confirmation,
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
    afterwards: z.string().optional(),
    undo: z.string().optional(),
  }),
  cuts: [{ path: 'other_tests', least: 5 }],

  async confirm(args, context) {
    const { test, product, before, names, link } = await readLink(args, context)
    const hasUndo = undoCall(test, names.requirement, product.id) !== undefined
    return unlinkQuestion({ names, product, before, link, hasUndo })
  },

  async run({ dry_run: dryRun, reason, ...args }, context) {
    const { test, product, before, names, link } = await readLink(args, context)
    const { requirement } = before
    const isRemoved = link !== undefined && !dryRun
    const removed = isRemoved ? await remove(test, requirement.id, { names, product, reason, context }) : undefined
    const { facts, reported } = await showNames({ title: test.title, names_known: test.names_known }, context.local)
    const outcome: Outcome = link === undefined ? 'not_linked' : dryRun ? 'would_remove' : 'removed'
    const after = outcome === 'removed' ? removed?.after?.requirement.coverage : link && expectedCoverage(before, link)
    const undo = outcome === 'removed' ? undoCall(test, names.requirement, product.id) : undefined
    const others = link === undefined ? undefined : otherLinks(before, link)
    const sentence = outcomeSentence(names, outcome, { before: requirement.coverage, after, others: others?.length })
    return {
      answer: removed?.isReadBack === true ? sentence + READ_BACK : sentence,
      product,
      data: {
        dry_run: dryRun,
        outcome,
        test: { id: names.test, title: facts.title },
        requirement: { id: names.requirement, title: requirement.title },
        link: link && { ...link, criteria: link.criterion_ids?.length || undefined },
        before: requirement.coverage,
        after,
        other_tests: others?.map((other) => keyOrId({ id: other.test_id, key: other.test_key })),
        afterwards: link?.origin === 'LINK_ORIGIN_ANNOTATION' && outcome !== 'not_linked' ? LINKED_AGAIN : undefined,
        undo: link !== undefined && outcome === 'removed' ? undoNote(link, undo !== undefined) : undefined,
      },
      untrusted: { ...testReport, content: { test: reported && { id: names.test, ...reported } } },
      next: nextCalls(names, outcome, { undo, after, product: product.id }),
    }
  },
})

const LINKED_AGAIN =
  'The test names the requirement, so the next report with it links it again: take the key out of its name or tags.'

type Outcome = 'removed' | 'would_remove' | 'not_linked'

/** What the result calls the two. */
interface Names {
  test: string
  requirement: string
}

/** The two, and the link between them if there is one. */
async function readLink(
  {
    product: given,
    test: testNamed,
    requirement: named,
  }: { product?: string | undefined; test: string; requirement: string },
  context: Context,
) {
  const { resolve } = context
  const scope = given === undefined ? undefined : (await resolve.product(given, { write: true })).id
  const { test, product } = await resolve.test(testNamed, scope)
  const { requirement: found } = await resolve.requirement(named, product.id)
  const before = await readForWrite(found, undefined, context)
  const names = { test: keyOrId(test), requirement: keyOrId(before.requirement) }
  return { test, product, before, names, link: await findLink(test.id, before, context) }
}

/** The requirement as it is now; what the list says of it where single requirements are not offered. */
async function readAgain(id: string, product: Product, { api, resolve, signal }: Context): Promise<RequirementInFull> {
  const read = await ifOffered(api.getRequirement({ id }, { signal }))
  return read ?? listedAlone((await resolve.requirement(id, product.id)).requirement)
}

/** The link between the two: with the requirement, or with the test where the requirement does not tell. */
async function findLink(test: string, before: RequirementInFull, { api, signal }: Context) {
  const known = before.links?.find(({ test_id: id }) => id === test)
  if (known !== undefined) return known
  if (before.links?.every(({ test_id: id }) => id !== undefined)) return undefined
  const { links } = await api
    .listTestLinks({ test_id: test, page_size: LINKS }, { signal })
    .catch(explainNotOffered('links of tests', { hint: 'get_test and get_requirement still work.' }))
  const link = links.find(({ requirement_id: id }) => id === before.requirement.id)
  if (link !== undefined || links.every(({ requirement_id: id }) => id !== undefined)) return link
  throw new ServiceError('upstream_shape_unknown', 'the deployment does not say what the links of a test belong to')
}

/** Enough for the links of one test. */
const LINKS = 200

/**
 * Removes the link and reads the requirement again. When the reply is lost, or the repeated request finds no link, that
 * read decides.
 */
async function remove(
  test: Test,
  requirement: string,
  { names, product, reason, context }: { names: Names; product: Product; reason: string | undefined; context: Context },
): Promise<{ after: RequirementInFull | undefined; isReadBack: boolean }> {
  const { api, signal } = context
  context.countChanges([`${test.id} ${requirement}`])
  const said = reason === undefined ? {} : await saidReason(reason, context)
  const failure = await api.unlinkTest({ test_id: test.id, requirement_id: requirement, ...said }, { signal }).then(
    () => undefined,
    (error: unknown) => error,
  )
  const mayBeGone = mayBeDone(failure) || (failure instanceof ServiceError && failure.code === 'not_found')
  if (failure !== undefined && !mayBeGone) return explainRemoval(failure)
  const after = await ifReadable(readAgain(requirement, product, context))
  if (failure === undefined) return { after, isReadBack: false }
  const isGone =
    after !== undefined && (await ifReadable(findLink(test.id, after, context).then((link) => link === undefined)))
  if (isGone === true) return { after, isReadBack: true }
  if (!mayBeDone(failure)) return explainRemoval(failure)
  const next = nextCall('get_test', { product: product.id, test: names.test }, 'shows its links')
  throw unknownOutcome(failure, { next })
}

const explainRemoval = explainNotOffered('the removal of links', {
  hint: 'ask the user to remove the link in the web interface; reading tests still works.',
})

function outcomeSentence(
  { test, requirement }: Names,
  outcome: Outcome,
  { before, after, others }: { before: Coverage; after: Coverage; others: number | undefined },
): string {
  if (outcome === 'not_linked') return `${test} has no link to ${requirement}; nothing was changed.`
  const [was, is] = [before?.state ?? 'of a state that is not stated', after?.state]
  const rest = others === undefined ? 'its other linked tests: not stated' : counted(others, 'other linked test')
  if (outcome === 'removed')
    return `Unlinked ${test} from ${requirement}, which was ${was} and is ${is ?? 'of a state that is not stated'} now; ${rest}.`
  const grounds = others === undefined ? 'its other links' : others === 0 ? 'its child requirements' : rest
  const becomes = is === undefined ? `, and its state would depend on ${grounds}` : ` and would be ${is}`
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
