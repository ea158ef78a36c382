import * as z from 'zod'
import { keyOf, stateOf } from './support/coverage-text.ts'
import { criterionText } from './support/criterion-text.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import { noteLine, withoutPrefix } from './support/facts.ts'
import { counted } from '../src/lib/counted.ts'
import type { Requirement, Product } from '../src/mcp/resolve/types.ts'
import { isTracegate } from './support/is-tracegate.ts'
import type { NextAction } from '../src/mcp/result/next-action.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { tellBranch } from './support/quality-branch.ts'
import { changedParts, fieldsOf, undoOf } from './support/requirement-edit.ts'

const NO_UNDO = 'no call puts the old words back: they are too long for one, look like a secret, or were empty'

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
  branch: z.string().optional().describe('Quality-branch id.'),
  dry_run: parameters.DryRun,
})

const Shown = z.object({
  id: z.string().optional(),
  key: z.string().optional(),
  title: z.string().optional(),
  status: z.string().optional(),
  version: z.int().optional(),
  criteria: z.int().optional(),
  state: z.string().optional(),
  failing: z.boolean().optional(),
  suspect: z.boolean().optional(),
})

export const saveRequirement = defineTool({
  name: 'save_requirement',
  toolset: 'requirements',
  // Without a requirement each call makes another one.
  effect: 'create',
  title: 'Create or update a requirement',
  description:
    'Create, write or add a requirement, or edit and update one when requirement is given: title, statement, acceptance ' +
    'criteria, files. A change of wording puts its links to tests in doubt. ' +
    'For a larger change use distill_intent, which drafts on a branch first.',
  input,
  output: z.object({
    dry_run: z.boolean().optional(),
    outcome: z.enum(['created', 'would_create', 'updated', 'would_update', 'already']),
    requirement: Shown,
    links_in_doubt: z.object({ count: z.int(), tests: z.array(z.string()).optional() }).optional(),
    wording: z.array(z.object({ code: z.string().optional(), advice: z.string().optional() })).optional(),
    undo: z.string().optional(),
  }),
  cuts: [
    { path: 'wording', least: 5 },
    { path: 'links_in_doubt.tests', least: 5 },
  ],

  async run(args, context) {
    const { requirement: named, product: given } = args
    if (named === undefined) return create(args, await context.resolve.product(given, { write: true }), context)
    const scope = given === undefined ? undefined : (await context.resolve.product(given, { write: true })).id
    const { requirement, product } = await context.resolve.requirement(named, scope)
    return update(args, { id: requirement.id, product }, context)
  },
})

type Arguments = z.output<typeof input>
type Made = Awaited<ReturnType<Context['api']['createRequirement']>>
type Read = Awaited<ReturnType<Context['api']['getRequirement']>>

async function create(args: Arguments, product: Product, context: Context) {
  const { dry_run: dryRun, title, branch } = args
  if (branch !== undefined) await readBranch(branch, product.id, context)
  const made = dryRun ? await preview(args, product.id, context) : await send(args, product.id, context)
  const findings = wordingOf(made?.lint)
  const key = made === undefined || dryRun ? undefined : keyOf(made.requirement)
  const draft = made === undefined ? { title: noteLine(title, 200) } : shownOf(made.requirement)
  return {
    answer:
      key === undefined
        ? `Preview, nothing written: would create one requirement${findingWords(findings.length)}.`
        : `Created ${key}${findingWords(findings.length)}.`,
    product,
    data: {
      ...(dryRun && { dry_run: true }),
      outcome: dryRun ? ('would_create' as const) : ('created' as const),
      // A preview's id and key are nobody's.
      requirement: dryRun ? { ...draft, id: undefined, key: undefined } : draft,
      wording: findings,
    },
    next: key === undefined ? [] : [testContext('what a test of it has to show', product.id, key)],
  }
}

async function update(args: Arguments, { id, product }: { id: string; product: Product }, context: Context) {
  const { dry_run: dryRun, branch } = args
  const read = await readRequirement(id, branch, context)
  const { requirement: before } = read
  const key = keyOf(before)
  const { parts, isRevision } = changedParts(args, before)
  if (parts.length === 0) {
    return {
      answer: `${key} says this already; nothing was changed.`,
      product,
      data: { outcome: 'already' as const, requirement: shownOf(before) },
    }
  }
  // Before the write: what fails here has changed nothing.
  const findings = wordingOf((await preview(whole(args, before), product.id, context))?.lint)
  const written = dryRun ? undefined : await write(args, before, context)
  const after = written?.requirement ?? before
  const doubted = doubtedLinks(read, isRevision, written?.suspect_link_count)
  const undo = dryRun ? undefined : undoOf(before, parts, product.id)
  const version = dryRun ? (isRevision ? 'a new version' : 'no new version') : versionWords(before, after)
  const links = doubted.count === 0 ? '' : `, ${counted(doubted.count, 'link')} to tests in doubt`
  return {
    answer: `${dryRun ? `Preview, nothing written: would change ${key}` : `Changed ${key}`} in ${parts.join(', ')}: ${version}${links}${findingWords(findings.length)}.`,
    product,
    data: {
      ...(dryRun && { dry_run: true }),
      outcome: dryRun ? ('would_update' as const) : ('updated' as const),
      requirement: shownOf(after),
      ...(doubted.count > 0 && { links_in_doubt: doubted }),
      wording: findings,
      ...(!dryRun && undo === undefined && { undo: NO_UNDO }),
    },
    next: [
      ...(undo === undefined ? [] : [undo]),
      ...(doubted.count === 0 ? [] : [testContext('its tests, to check against the new words', product.id, key)]),
    ],
  }
}

/** Refuses a branch that is not there before anything is written. */
async function readBranch(branch: string, productId: string, { api, signal }: Context): Promise<void> {
  const scope = { product_id: productId, branch_id: branch, page_size: 1 }
  await api.listRequirements(scope, { signal }).catch(tellBranch(branch))
}

/** On the branch, where one is named. */
function readRequirement(id: string, branch: string | undefined, { api, signal }: Context): Promise<Read> {
  return api.getRequirement({ id, ...onBranch(branch) }, { signal }).catch(tellBranch(branch))
}

function send(args: Arguments, productId: string, { api, signal }: Context, only: { validate_only?: true } = {}) {
  const fields = { product_id: productId, ...fieldsOf(args), ...onBranch(args.branch), ...only }
  return api.createRequirement(fields, { signal }).catch(tellBranch(args.branch))
}

/** What the service would say to these words as a new requirement; undefined where only writing would tell. */
async function preview(args: Arguments, productId: string, context: Context): Promise<Made | undefined> {
  return (await isTracegate(context)) ? send(args, productId, context, { validate_only: true }) : undefined
}

/** The words as they are after the change. */
function whole(args: Arguments, before: Requirement): Arguments {
  const criteria = args.criteria ?? (before.acceptance_criteria ?? []).map(criterionText)
  return { ...args, body: args.body ?? before.statement, criteria }
}

function write(args: Arguments, before: Requirement, { api, signal }: Context) {
  const etag = before.etag === undefined ? {} : { etag: before.etag }
  const fields = { id: before.id, ...fieldsOf(args, before), ...onBranch(args.branch), ...etag }
  return api.updateRequirement(fields, { signal }).catch(tellBranch(args.branch))
}

function onBranch(branch: string | undefined) {
  return branch === undefined ? {} : { branch_id: branch }
}

/** The links that the change of wording puts in doubt; those that were so before are not among them. */
function doubtedLinks({ links = [] }: Read, isRevision: boolean, suspects: number | undefined) {
  const active = links.filter(({ state }) => state === 'LINK_STATE_ACTIVE')
  const told = suspects === undefined ? undefined : suspects - (links.length - active.length)
  const count = told ?? (isRevision ? active.length : 0)
  const tests = active.map((link) => keyOf({ id: link.test_id, key: link.test_key }))
  return { count, tests: count === active.length ? tests : undefined }
}

function versionWords(before: Requirement, { version }: Requirement): string {
  if (version === undefined) return 'the service names no version'
  return version === before.version ? `still version ${String(version)}` : `version ${String(version)} now`
}

function shownOf(requirement: Requirement) {
  return {
    id: requirement.id,
    key: requirement.key,
    title: noteLine(requirement.title, 200),
    status: withoutPrefix(requirement.status, 'REQUIREMENT_STATUS_'),
    version: requirement.version,
    criteria: requirement.acceptance_criteria?.length,
    ...stateOf(requirement.coverage),
  }
}

function wordingOf(lint: Made['lint'] = []) {
  return lint.map(({ code, message }) => ({ code, advice: noteLine(message, 200) }))
}

function findingWords(findings: number): string {
  return findings === 0 ? '' : `; ${counted(findings, 'finding')} on the wording`
}

function testContext(why: string, product: string, requirement: string): NextAction {
  return { tool: 'get_test_context', why, args: { product, requirement } }
}
