import * as z from 'zod'
import { Branch as BranchSchema } from '../src/contract/branches.ts'
import { ServiceError } from '../src/errors.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { type Context, defineTool, type Question } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { branchesCall, isOpen } from '../src/mcp/resolve/find-branch.ts'
import { ifOffered } from '../src/mcp/resolve/offered.ts'
import { fields, flag, pick } from '../src/mcp/result/output.ts'
import { changeWords, readSubject, typedKey, type BranchSubject } from './support/branches/subject.ts'
import { keyOrId } from './support/columns.ts'
import { factList, removeThing } from './support/deleting/remove.ts'
import { PREVIEW } from './support/words.ts'
import { READ_BACK } from './support/writes/outcome.ts'

/** Changes that are named. */
const NAMED = 12

export const deleteQualityBranch = defineTool({
  name: 'delete_quality_branch',
  toolset: 'branches',
  effect: 'delete',
  unconfirmed: 'ask the user to delete it in the web interface',
  title: 'Delete a quality branch',
  description: 'Delete a quality branch with its drafts, once the user confirms.',
  input: z.strictObject({
    product: parameters.Product,
    branch: parameters.RequiredBranch,
    reason: parameters.named('Why; people see it.', z.string().trim().min(1).max(1000)),
    dry_run: parameters.DryRun,
    confirmation: parameters.Confirmation,
  }),
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['deleted', 'would_delete']),
    branch: fields({ id: z.string(), ...pick(BranchSchema, 'name') }),
    lost: z.string().optional(),
  }),

  async confirm(args, context) {
    const subject = await readInFull(args, context)
    const { branch, product, label } = subject
    const facts = lostFacts(subject)
    return {
      asks: `Delete quality branch ${label}`,
      product,
      facts,
      key: typedKey(subject),
      undo: '',
      state: stateDigest([branch.id, branch.etag, branch.head_revision, facts]),
    }
  },

  async run({ dry_run: dryRun, ...args }, context) {
    const subject = await readInFull(args, context)
    const { branch, product, label } = subject
    const isReadBack = !dryRun && (await remove(subject, context))
    const lost = changeWords(branch.counts)
    return {
      answer:
        `${dryRun ? `${PREVIEW}would delete` : 'Deleted'} quality branch ${label}` +
        `${lost === '' ? '' : ` with its drafts: ${lost}`}.${isReadBack ? READ_BACK : ''}`,
      product,
      data: {
        dry_run: dryRun,
        outcome: dryRun ? ('would_delete' as const) : ('deleted' as const),
        branch,
        lost: lost || undefined,
      },
      next: [branchesCall(product.id)],
    }
  },
})

interface BranchInFull extends BranchSubject {
  /** Undefined where the deployment does not list them. */
  changes: Awaited<ReturnType<Context['api']['getBranch']>>['changes']
}

async function readInFull(args: Parameters<typeof readSubject>[0], context: Context): Promise<BranchInFull> {
  const subject = await readSubject(args, context)
  const { api, signal } = context
  const read = await ifOffered(api.getBranch({ id: subject.branch.id }, { signal }))
  return { ...subject, branch: { ...subject.branch, ...read?.branch }, changes: read?.changes }
}

/** True where the reply was lost and a read shows that it is not open any more. */
function remove({ branch: { id, etag }, product }: BranchSubject, context: Context): Promise<boolean> {
  const { api, signal } = context
  return removeThing({
    noun: 'quality branches',
    remove: () => api.deleteBranch({ id, ...(etag !== undefined && { etag }) }, { signal }).catch(asGone),
    read: async () => {
      const { branch } = await api.getBranch({ id }, { signal })
      return isOpen(branch) ? branch : undefined
    },
    check: branchesCall(product.id),
  })
}

/** For `catch`: a branch was open when this call read it, so one that is closed now was closed by an earlier attempt. */
function asGone(error: unknown): never {
  const isClosed = error instanceof ServiceError && error.reason === 'BRANCH_NOT_OPEN'
  throw isClosed ? new ServiceError('not_found', error.message, { reason: error.reason, cause: error }) : error
}

/** What a person is shown. Tests are named by their keys: their titles are a report's text. */
function lostFacts({ branch, changes }: BranchInFull): Question['facts'] {
  const { proposals_pending: pending = 0, proposals_approved: approved = 0 } = branch.counts ?? {}
  const proposals = pending + approved
  return factList({
    about: branch.description,
    'drafts that are lost': changeWords(branch.counts) || (branch.counts === undefined ? 'not stated' : 'none'),
    'among them': changes?.slice(0, NAMED).map(changeName).join('; '),
    'link proposals that are lost': proposals === 0 ? undefined : String(proposals),
    kept: 'the main tree, as it is',
  })
}

function changeName(change: NonNullable<BranchInFull['changes']>[number]): string {
  const key = keyOrId({ id: change.entity_id, key: change.key })
  return change.entity_type === 'requirement' && change.title ? `${key} ${change.title}` : key
}
