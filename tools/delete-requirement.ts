import * as z from 'zod'
import { counted } from '../src/lib/counted.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { type Context, defineTool, type Question } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import type { Product } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag } from '../src/mcp/result/output.ts'
import { withoutPrefix } from '../src/mcp/result/present.ts'
import { TeachingError } from '../src/mcp/result/teach.ts'
import { coverageState, keyOrId, rowTitle } from './support/columns.ts'
import { cutNames, kept } from './support/cuts.ts'
import { factList, removeThing, saidReason } from './support/deleting/remove.ts'
import { linkedWords, readForWrite, type RequirementInFull } from './support/quality/requirement-in-full.ts'
import { PREVIEW } from './support/words.ts'
import { READ_BACK } from './support/writes/outcome.ts'

/** The most children and tests that are named. */
const ROWS = 20

const input = z.strictObject({
  product: parameters.Product,
  requirement: z.string().min(1).describe('Requirement key or id. From list_requirements.'),
  reason: parameters.named('Why; people see it.', z.string().trim().min(1).max(1000)),
  dry_run: parameters.DryRun,
  confirmation: parameters.Confirmation,
})

export const deleteRequirement = defineTool({
  name: 'delete_requirement',
  toolset: 'requirements',
  effect: 'delete',
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
    const { key, product, read } = await readSubject(args, context)
    refuseChildren(key, read)
    const facts = requirementFacts(read)
    return {
      asks: `Delete requirement ${key}`,
      product,
      facts,
      key,
      undo: '',
      state: stateDigest([read.requirement.id, read.requirement.etag, facts]),
    }
  },

  async run({ dry_run: dryRun, ...args }, context) {
    const { key, product, read } = await readSubject(args, context)
    const { requirement, links, children = [] } = read
    const isRefused = hasChildren(read)
    if (!dryRun) refuseChildren(key, read)
    const isReadBack = !dryRun && (await remove(read, args.reason, { key, product, context }))
    const what = `${key}, ${linkedWords(links?.length)}`
    const preview = `${PREVIEW}${isRefused ? childrenWords(key, read) : `would delete ${what}`}`
    return {
      answer: dryRun ? `${preview}.` : `Deleted ${what}.${isReadBack ? READ_BACK : ''}`,
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
      next: dryRun ? [] : [nextCall('find_coverage_gaps', { product: product.id }, 'what is not tested now')],
    }
  },
})

interface Subject {
  key: string
  product: Product
  read: RequirementInFull
}

/** The requirement with what hangs on it. */
async function readSubject(
  { product: given, requirement: named }: { product?: string | undefined; requirement: string },
  context: Context,
): Promise<Subject> {
  const scope = given === undefined ? undefined : (await context.resolve.product(given, { write: true })).id
  const { requirement: found, product } = await context.resolve.requirement(named, scope)
  const read = await readForWrite(found, undefined, context)
  return { key: keyOrId(read.requirement), product, read }
}

function hasChildren({ children = [] }: RequirementInFull): boolean {
  return children.length > 0
}

function childrenWords(key: string, { children = [] }: RequirementInFull): string {
  return `${key} has ${counted(children.length, 'requirement')} below it, which have to be deleted first`
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
  { requirement: { id, etag } }: RequirementInFull,
  reason: string,
  { key, product, context }: { key: string; product: Product; context: Context },
): Promise<boolean> {
  const { api, signal } = context
  const said = await saidReason(reason, context)
  return removeThing({
    noun: 'requirements',
    remove: () => api.deleteRequirement({ id, ...(etag !== undefined && { etag }), ...said }, { signal }),
    read: () => api.getRequirement({ id }, { signal }),
    check: nextCall('get_requirement', { product: product.id, requirement: key }, 'shows whether it is there'),
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
