import * as z from 'zod'
import { counted } from '../src/lib/counted.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { type Context, defineTool, type Question } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { isProvisional } from '../src/mcp/resolve/ids.ts'
import type { Branch, Product } from '../src/mcp/resolve/types.ts'
import { nextCall, type NextAction } from '../src/mcp/result/next-action.ts'
import { fields, flag } from '../src/mcp/result/output.ts'
import { withoutPrefix } from '../src/mcp/result/present.ts'
import { TeachingError } from '../src/mcp/result/teach.ts'
import { coverageState, keyOrId, rowTitle } from './support/columns.ts'
import { cutNames, kept } from './support/cuts.ts'
import { branchSentence, branchWords, explainMissingBranch, namedBranch, onBranch } from './support/named-branch.ts'
import { factList, removeThing, requireDraft, saidReason } from './support/deleting/remove.ts'
import { linkedWords, readForWrite, type RequirementInFull } from './support/quality/requirement-in-full.ts'
import { MERGE_DELETES, PREVIEW } from './support/words.ts'
import { READ_BACK } from './support/writes/outcome.ts'

/** The most children and tests that are named. */
const ROWS = 20

const input = z.strictObject({
  product: parameters.Product,
  requirement: z.string().min(1).describe('Requirement key or id. From list_requirements.'),
  branch: parameters.Branch,
  reason: parameters.named('Why; people see it.', z.string().trim().min(1).max(1000)),
  dry_run: parameters.DryRun,
  confirmation: parameters.Confirmation,
})

export const deleteRequirement = defineTool({
  name: 'delete_requirement',
  toolset: 'requirements',
  effect: 'delete',
  // On a branch it is a change, which the user decides with the merge.
  level: ({ branch }) => (branch === undefined ? 3 : 1),
  unconfirmed: 'ask the user to delete it in the web interface; save_requirement changes it instead',
  title: 'Delete a requirement',
  description:
    'Delete one requirement and its links to tests for good, once the user confirms. To reword it use save_requirement.',
  input,
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['deleted', 'would_delete', 'would_be_refused']),
    delete_first: z.array(z.string()).optional(),
    requirement: fields({ id: z.string(), title: rowTitle, ...coverageState }),
    tests_kept: z.array(z.string()).optional(),
  }),
  cuts: [
    { path: 'tests_kept', least: 5 },
    { path: 'delete_first', least: 5 },
  ],

  async confirm(args, context) {
    const { key, product, branch, read } = await readSubject(args, context)
    refuseChildren(key, read)
    const facts = requirementFacts(read)
    return {
      asks: `Delete requirement ${key}${branchWords(branch)}`,
      product,
      facts,
      key,
      undo: '',
      state: stateDigest([branch?.id, read.requirement.id, read.requirement.etag, facts]),
    }
  },

  async run({ dry_run: dryRun, ...args }, context) {
    const subject = await readSubject(args, context)
    const { key, product, branch, read } = subject
    const { requirement, links, children = [] } = read
    const isRefused = hasChildren(read)
    if (!dryRun) refuseChildren(key, read)
    const isReadBack = !dryRun && (await remove(subject, args.reason, context))
    const what = `${key}, ${linkedWords(links?.length)}`
    const done = dryRun
      ? `${PREVIEW}${isRefused ? childrenWords(key, read) : `would delete ${what}`}`
      : `Deleted ${what}`
    const waits = branch !== undefined && !isRefused && !isProvisional(key)
    return {
      answer: `${done}.${isReadBack ? READ_BACK : ''}${branchSentence(branch)}${waits ? MERGE_DELETES : ''}`,
      product,
      data: {
        dry_run: dryRun,
        outcome: !dryRun ? ('deleted' as const) : isRefused ? ('would_be_refused' as const) : ('would_delete' as const),
        delete_first: isRefused ? children.slice(0, ROWS).map(keyOrId) : undefined,
        requirement: { ...requirement, ...requirement.coverage, id: key },
        tests_kept: links?.slice(0, ROWS).map((link) => keyOrId({ id: link.test_id, key: link.test_key })),
      },
      cut: cutNames([], {
        delete_first: kept(isRefused ? children : [], ROWS),
        tests_kept: kept(links ?? [], ROWS),
      }),
      next: dryRun ? [] : [nextAfter(subject)],
    }
  },
})

interface Subject {
  key: string
  product: Product
  branch: Branch | undefined
  read: RequirementInFull
}

/** The requirement with what hangs on it. */
async function readSubject(
  { product: given, requirement: named, branch: branchNamed }: Omit<z.output<typeof input>, 'reason' | 'dry_run'>,
  context: Context,
): Promise<Subject> {
  const { resolve } = context
  const scope = given === undefined ? undefined : (await resolve.product(given, { write: true })).id
  const branch = await namedBranch(branchNamed, scope, context)
  const { requirement: found, product } = await resolve.requirement(named, branch?.product_id ?? scope, branch?.id)
  const read = await readForWrite(found, branch?.id, context).catch(explainMissingBranch(branch))
  return { key: keyOrId(read.requirement), product, branch, read }
}

function nextAfter({ product, branch }: Subject): NextAction {
  const on = { product: product.id, ...onBranch(branch) }
  return branch === undefined
    ? nextCall('find_coverage_gaps', on, 'what is not tested now')
    : nextCall('review_branch', on, 'what its merge changes')
}

function hasChildren({ children = [] }: RequirementInFull): boolean {
  return children.length > 0
}

function childrenWords(key: string, { children = [] }: RequirementInFull): string {
  const have = children.length === 1 ? 'has' : 'have'
  return `${key} has ${counted(children.length, 'requirement')} below it, which ${have} to be deleted first`
}

/** Throws where requirements below it have to go first. */
function refuseChildren(key: string, read: RequirementInFull): void {
  if (!hasChildren(read)) return
  const keys = read.children?.slice(0, 10).map(keyOrId).join(', ') ?? ''
  const lesson = { expected: `first: ${keys}` }
  throw new TeachingError('failed_precondition', childrenWords(key, read), lesson, { reason: 'HAS_CHILDREN' })
}

/** True where the reply was lost and a read shows that it is gone. */
async function remove(
  { key, product, branch, read: { requirement } }: Subject,
  reason: string,
  context: Context,
): Promise<boolean> {
  const { api, signal } = context
  const { id, etag } = requirement
  if (branch !== undefined) await requireDraft(id, context)
  const said = await saidReason(reason, context)
  const on = { id, branch_id: branch?.id }
  const shown = { product: product.id, ...onBranch(branch), requirement: key }
  return removeThing({
    noun: 'requirements',
    remove: () =>
      api
        .deleteRequirement({ ...on, ...(etag !== undefined && { etag }), ...said }, { signal })
        .catch(explainMissingBranch(branch)),
    read: () => api.getRequirement(on, { signal }),
    check: nextCall('get_requirement', shown, 'shows whether it is there'),
  })
}

/** What a person is shown. Tests are named by their keys: their titles are a report's text. */
function requirementFacts({ requirement, links }: RequirementInFull): Question['facts'] {
  const { coverage, status, priority, path } = requirement
  const names = links?.map((link) => keyOrId({ id: link.test_id, key: link.test_key })).slice(0, 10)
  return factList({
    requirement: requirement.title ?? 'title not stated',
    status: withoutPrefix(status, 'REQUIREMENT_STATUS_'),
    priority: withoutPrefix(priority, 'PRIORITY_'),
    'part of': path?.at(-1),
    'coverage now': coverage?.state ?? 'not stated',
    'links that are removed': names === undefined ? 'not stated' : listWords(names, links?.length),
    kept: 'the tests and their results',
  })
}

function listWords(names: readonly string[], total = 0): string {
  if (names.length === 0) return 'none'
  const more = total > names.length ? ` and ${String(total - names.length)} more` : ''
  return `${names.join(', ')}${more}`
}
