import * as z from 'zod'
import { Branch as BranchSchema } from '../src/contract/branches.ts'
import { ServiceError } from '../src/errors.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { branchArgument, branchesCall } from '../src/mcp/resolve/find-branch.ts'
import { explainNotOffered, ifOffered } from '../src/mcp/resolve/offered.ts'
import type { Branch, Product } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag, pick } from '../src/mcp/result/output.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import { teamText } from '../src/mcp/text/team.ts'
import { isSameName } from '../src/mcp/text/untrusted.ts'
import { PREVIEW } from './support/words.ts'
import { ifReadable, mayBeDone, READ_BACK, unknownOutcome } from './support/writes/outcome.ts'

/** What follows; a sentence with a tool that is not offered is left out. */
const HOW_TO_DRAFT =
  'To draft from a change request: distill_intent with its name as branch. ' +
  'To draft one requirement: save_requirement with its name as branch. ' +
  'Undo: delete_quality_branch.'

export const createQualityBranch = defineTool({
  name: 'create_quality_branch',
  toolset: 'branches',
  // One that is open stays as it is.
  effect: 'update',
  title: 'Create a quality branch',
  description: 'Create an empty quality branch (not a git branch). To draft from a change request use distill_intent.',
  input: z.strictObject({
    product: parameters.Product,
    name: parameters.named('Branch name.', z.string().trim().min(1).max(120)),
    dry_run: parameters.DryRun,
  }),
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['created', 'would_create', 'already']),
    branch: fields({ id: z.string().optional(), ...pick(BranchSchema, 'name') }),
    how_to_draft: z.string().optional(),
  }),

  async run({ product: given, name, dry_run: dryRun }, context) {
    const product = await context.resolve.product(given, { write: true })
    const { outcome, branch, isReadBack } = await make({ name, product, dryRun }, context)
    const { id } = branch
    const isThere = outcome === 'already'
    return {
      answer: `${words[outcome]} quality branch ${teamText(branch.name ?? name)}${isThere ? '; nothing was changed' : ''}.${isReadBack ? READ_BACK : ''}`,
      product,
      data: {
        dry_run: dryRun,
        outcome,
        branch,
        how_to_draft: dryRun ? undefined : sentencesOffered(HOW_TO_DRAFT, context.offers),
      },
      next: [
        isThere && id !== undefined
          ? nextCall(
              'review_branch',
              { product: product.id, branch: branchArgument({ ...branch, id }) },
              'what is on it already',
            )
          : undefined,
      ],
    }
  },
})

const words = {
  created: 'Created',
  would_create: `${PREVIEW}would create`,
  already: 'There is an open',
} as const

interface Making {
  name: string
  product: Product
  dryRun: boolean
}

interface Made {
  outcome: 'created' | 'would_create' | 'already'
  /** Without an id where it is only previewed. */
  branch: Omit<Branch, 'id'> & { id?: string }
  isReadBack: boolean
}

/** The branch; one that is open by this name stays as it is. */
async function make({ name, product, dryRun }: Making, context: Context): Promise<Made> {
  const { api, resolve, signal } = context
  const listed = await ifOffered(resolve.branches(product.id))
  const existing = listed?.rows.find((row) => isSameName(row.name, name))
  if (existing !== undefined) return { outcome: 'already', branch: existing, isReadBack: false }
  if (dryRun) return { outcome: 'would_create', branch: { name }, isReadBack: false }
  try {
    const { branch } = await api.createBranch({ product_id: product.id, name }, { signal })
    return { outcome: 'created', branch, isReadBack: false }
  } catch (error) {
    const isTaken = error instanceof ServiceError && error.code === 'already_exists'
    if (!isTaken && !mayBeDone(error)) return explainRefusal(error)
    const branch = await ifReadable(findAgain(name, product, context))
    if (branch !== undefined) return { outcome: isTaken ? 'already' : 'created', branch, isReadBack: !isTaken }
    if (isTaken) throw error
    throw unknownOutcome(error, { next: branchesCall(product.id) })
  }
}

/** Past the list that this call has read before. */
async function findAgain(name: string, product: Product, { api, signal }: Context): Promise<Branch | undefined> {
  const { branches } = await api.listBranches({ product_id: product.id, page_size: 200 }, { signal })
  return branches.find((row) => isSameName(row.name, name))
}

const explainRefusal = explainNotOffered('quality branches', {
  hint: 'save_requirement without branch writes to the main tree, if the user wants that.',
})
