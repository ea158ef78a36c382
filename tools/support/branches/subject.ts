import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { branchArgument, branchLabel } from '../../../src/mcp/resolve/find-branch.ts'
import type { Branch, Product } from '../../../src/mcp/resolve/types.ts'

/** An open quality branch that a tool is about. */
export interface BranchSubject {
  branch: Branch
  product: Product
  /** What sentences call it. */
  label: string
  /** What calls name it by: another product may have a branch of this name. */
  args: { product: string; branch: string }
}

/** The open branch of this id or name, with its product. */
export async function readSubject(
  { product: given, branch: named }: { product?: string | undefined; branch: string },
  { resolve }: Pick<Context, 'resolve'>,
): Promise<BranchSubject> {
  const scope = given === undefined ? undefined : (await resolve.product(given, { write: true })).id
  const branch = await resolve.branch(named, scope)
  if (branch.product_id === undefined)
    throw new ServiceError('upstream_shape_unknown', 'the deployment does not say which product the branch belongs to')
  const product = await resolve.product(branch.product_id, { write: true })
  return {
    branch,
    product,
    label: branchLabel(branch),
    args: { product: product.id, branch: branchArgument(branch) },
  }
}

/** What a person types to confirm: the name, else the id. */
export function typedKey({ branch: { id, name } }: BranchSubject): string {
  return name === undefined || name === '' ? id : name
}

/** `3 created, 1 modified`; empty where nothing is changed or counted. */
export function changeWords(counts: Branch['counts']): string {
  const { created, modified, deleted, moved } = counts ?? {}
  return Object.entries({ created, modified, deleted, moved })
    .flatMap(([what, count = 0]) => (count === 0 ? [] : [`${String(count)} ${what}`]))
    .join(', ')
}
