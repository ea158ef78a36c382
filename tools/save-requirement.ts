import * as z from 'zod'
import { LintFinding, Requirement as RequirementSchema } from '../src/contract/requirements.ts'
import { counted } from '../src/lib/counted.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import type { Branch, Product, Requirement } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { TeachingError } from '../src/mcp/result/teach.ts'
import { fields, flag, pick, rows, teamLine } from '../src/mcp/result/output.ts'
import { branchSentence, explainMissingBranch, namedBranch, onBranch } from './support/named-branch.ts'
import { readForWrite } from './support/quality/requirement-in-full.ts'
import { coverageState, keyOrId } from './support/columns.ts'
import { changedParts, countRemoved, isStated, undoCall, type Part } from './support/quality/requirement-edit.ts'
import { isLowered, priorities, priorityWord } from './support/quality/priority.ts'
import {
  createRequirement,
  doubtedLinks,
  previewRequirement,
  updateRequirement,
  wordingBeforeUpdate,
  withChanges,
  type CreatedRequirement,
} from './support/quality/requirement-writes.ts'
import { isTracegate } from './support/is-tracegate.ts'
import { PREVIEW } from './support/words.ts'
import { ifReadable, READ_BACK } from './support/writes/outcome.ts'

const NO_UNDO = 'no call puts the old words back: they are too long for one, or look like a secret'
const NOT_STATED = 'no call puts the old words back: this deployment does not state them'

const input = z.strictObject({
  product: parameters.Product,
  requirement: z.string().min(1).optional().describe('Key or id, to update. From list_requirements.'),
  title: z.string().trim().min(1).max(200).describe('What the product must do, in one line.'),
  body: z.string().max(20_000).optional().describe('Statement, Markdown.'),
  criteria: z
    .array(z.string().trim().min(1).max(4000))
    .max(100)
    .optional()
    .describe('Acceptance criteria, one each; replaces the list.'),
  files: z
    .array(z.string().trim().min(1).max(500))
    .max(200)
    .optional()
    .describe('Repository files or globs that implement it; replaces the list.'),
  priority: parameters.named('How much it matters.', z.enum(priorities).optional()),
  clear: z
    .array(z.enum(['body', 'criteria', 'files']))
    .optional()
    .describe('What to empty; an empty value elsewhere means unchanged.'),
  branch: parameters.Branch,
  dry_run: parameters.DryRun,
})

const output = z.object({
  dry_run: flag.optional(),
  outcome: z.enum(['created', 'would_create', 'updated', 'would_update', 'already']),
  requirement: fields({
    id: z.string().optional(),
    ...pick(RequirementSchema, 'title', 'status', 'priority', 'version'),
    criteria: z.int(),
    ...coverageState,
  }),
  links_in_doubt: z.object({ count: z.int(), tests: z.array(z.string()).optional() }).optional(),
  wording: rows({ code: LintFinding.shape.code, advice: teamLine }).optional(),
  undo: z.string().optional(),
})

export const saveRequirement = defineTool({
  name: 'save_requirement',
  toolset: 'requirements',
  // Without a requirement each call creates another one.
  effect: 'create',
  title: 'Create or update a requirement',
  description:
    'Create, write or add a requirement, or edit, rename and update one when requirement is given: title, statement, acceptance ' +
    'criteria, files, priority. A change of wording puts its links to tests in doubt. ' +
    'For a larger change use distill_intent.',
  input,
  output,
  cuts: [
    { path: 'wording', least: 5 },
    { path: 'links_in_doubt.tests', least: 5 },
  ],

  async run({ clear = [], ...wanted }, context) {
    const { requirement: named, product: given, branch: branchNamed } = wanted
    const { resolve } = context
    const isNamed = given !== undefined || (named === undefined && branchNamed === undefined)
    const scope = isNamed ? (await resolve.product(given, { write: true })).id : undefined
    const branch = await namedBranch(branchNamed, scope, context)
    const args = { ...withCleared(wanted, clear), branch }
    const owner = branch?.product_id ?? scope
    if (named === undefined) return create(args, await resolve.product(owner, { write: true }), context)
    const { requirement, product } = await resolve.requirement(named, owner, branch?.id)
    return update(args, { found: requirement, product }, context)
  },
})

type Given = Omit<z.output<typeof input>, 'clear'>
type Arguments = Omit<Given, 'branch'> & { branch: Branch | undefined }
type Clearable = NonNullable<z.output<typeof input>['clear']>[number]

const EMPTY = { body: '', criteria: [], files: [] } as const

/** The arguments with the parts to clear as empty ones. Throws when a part is to be cleared and to say something. */
function withCleared(args: Given, clear: readonly Clearable[]): Given {
  const both = clear.find((part) => args[part] !== undefined)
  if (both !== undefined) {
    throw new TeachingError('invalid_argument', `invalid arguments: ${both}`, {
      sent: `${both} and clear = ["${both}"]`,
      expected: `${both} with what it should say, or clear to empty it`,
    })
  }
  return { ...args, ...Object.fromEntries(clear.map((part) => [part, EMPTY[part]])) }
}

async function create(args: Arguments, product: Product, context: Context) {
  const { dry_run: dryRun, title, branch } = args
  const created = dryRun ? await preview(args, product.id, context) : await createRequirement(args, product.id, context)
  const wording = wordingRows(created?.lint)
  const draft = created === undefined ? { title } : describe(created.requirement, args)
  const key = created === undefined || dryRun ? undefined : keyOrId(created.requirement)
  const done = key === undefined ? `${PREVIEW}would create one requirement` : `Created ${key}`
  const waits = key !== undefined && branch === undefined && isDraft(created?.requirement)
  return {
    answer: `${done}${wordingWords(wording)}.${waits ? NOT_COUNTED : ''}${branchSentence(branch)}`,
    product,
    data: {
      dry_run: dryRun,
      outcome: dryRun ? ('would_create' as const) : ('created' as const),
      // The id of a preview belongs to nothing.
      requirement: dryRun ? { ...draft, id: undefined } : draft,
      wording,
    },
    next: key === undefined ? [] : createdCalls({ product, branch, key }, waits),
  }
}

const NOT_COUNTED = ' The quality gate counts it once the user approves it.'

/** On a branch the merge approves it. */
function isDraft(requirement: Requirement | undefined): boolean {
  return requirement?.status === 'REQUIREMENT_STATUS_DRAFT'
}

function createdCalls(saved: Saved, waits: boolean) {
  const approval = { product: saved.product.id, requirements: [saved.key] }
  return [
    testContextCall('what a test of it has to show', saved),
    waits ? nextCall('approve_requirements', approval, 'asks the user') : undefined,
  ]
}

/** What the service says of a new requirement; undefined where only a write would show it. */
async function preview(args: Arguments, productId: string, context: Context) {
  return (await isTracegate(context)) ? previewRequirement(args, productId, context) : undefined
}

async function update(args: Arguments, { found, product }: { found: Requirement; product: Product }, context: Context) {
  const { dry_run: dryRun, branch } = args
  const read = await readForWrite(found, branch?.id, context).catch(explainMissingBranch(branch))
  const { requirement: before } = read
  const key = keyOrId(before)
  const { parts, isRevision } = changedParts(args, before)
  if (parts.length === 0) {
    const data = { outcome: 'already' as const, requirement: describe(before, args) }
    return { answer: `${key} says this already; nothing was changed.${branchSentence(branch)}`, product, data }
  }
  // Before the write: what fails here has changed nothing. Only a preview depends on whose service it is.
  const isOurs = dryRun ? await isTracegate(context) : await ifReadable(isTracegate(context))
  const words = withChanges(args, before)
  const check = dryRun ? previewRequirement : wordingBeforeUpdate
  const wording = wordingRows(isOurs === true ? (await check(words, product.id, context))?.lint : undefined)
  const written = dryRun ? undefined : await updateRequirement(args, before, context)
  const after = written?.requirement ?? before
  const doubted = doubtedLinks(read, isRevision && isOurs === true, written?.suspects)
  const undo = dryRun ? undefined : undoCall(before, parts, { product: product.id, ...onBranch(branch) })
  const version = dryRun ? previewedVersion(isRevision, isOurs) : versionWords(before, after)
  const links = doubted.count === 0 ? '' : `, ${counted(doubted.count, 'link')} to tests in doubt`
  const lowered = isOurs === true && branch === undefined && isLowered(args.priority, before)
  const done = dryRun ? `${PREVIEW}would change ${key}` : `Changed ${key}`
  return {
    answer: `${done} in ${partWords(parts, args, before)}: ${version}${links}${wordingWords(wording)}.${written?.isReadBack ? READ_BACK : ''}${lowered ? LOWERED : ''}${branchSentence(branch)}`,
    product,
    data: {
      dry_run: dryRun,
      outcome: dryRun ? ('would_update' as const) : ('updated' as const),
      requirement: describe(after, args),
      links_in_doubt: doubted.count > 0 ? doubted : undefined,
      wording,
      undo: dryRun || undo !== undefined ? undefined : isStated(before, parts) ? NO_UNDO : NOT_STATED,
    },
    next: [
      undo,
      doubted.count === 0
        ? undefined
        : testContextCall('its tests, to check against the new words', { product, branch, key }),
    ],
  }
}

const LOWERED = ' The quality gate gives it less weight and asks a person to review that.'

/** `title, criteria (removes 2)`: what is taken away is said before it is gone. */
function partWords(parts: readonly Part[], args: Arguments, before: Requirement): string {
  return parts.map((part) => part + removedWords(part, args, before)).join(', ')
}

function removedWords(part: Part, args: Arguments, before: Requirement): string {
  if (part === 'body') return args.body === '' ? ' (removes it)' : ''
  if (part === 'title') return ''
  if (part === 'priority') return ` (${priorityWord(before) ?? 'not stated'} to ${String(args.priority)})`
  const removed = countRemoved(part, args[part] ?? [], before)
  return removed === 0 ? '' : ` (removes ${String(removed)})`
}

function previewedVersion(isRevision: boolean, isOurs: boolean | undefined): string {
  if (isOurs !== true) return 'version not stated'
  return isRevision ? 'a new version' : 'no new version'
}

function versionWords(before: Requirement, { version }: Requirement): string {
  if (version === undefined) return 'version not stated'
  return version === before.version ? `still version ${version}` : `version ${version} now`
}

/** The priority is shown where the caller speaks of it. */
function describe({ priority, ...requirement }: Requirement, args: Arguments) {
  return {
    ...requirement,
    ...requirement.coverage,
    ...(args.priority !== undefined && { priority }),
    id: keyOrId(requirement),
    criteria: requirement.acceptance_criteria?.length,
  }
}

function wordingRows(lint: CreatedRequirement['lint'] = []) {
  return lint.map(({ code, message }) => ({ code, advice: message }))
}

function wordingWords({ length }: readonly unknown[]): string {
  return length === 0 ? '' : `; ${counted(length, 'finding')} on the wording`
}

interface Saved {
  product: Product
  branch: Branch | undefined
  key: string
}

function testContextCall(why: string, { product, branch, key }: Saved) {
  return nextCall('get_test_context', { product: product.id, requirement: key, ...onBranch(branch) }, why)
}
