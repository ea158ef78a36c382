import { notFound } from '../../../../errors.ts'
import { requireOpenBranch, type StoredBranch } from '../../../branches/store/branches.ts'
import { requirementNumber } from '../../../quality/keys.ts'
import type { Rows } from '../../../sql/database.ts'
import type { AgentContext } from '../../define.ts'
import type { RequirementFacts } from './facts.ts'

/**
 * The requirements that a run looks for tests of: those that are named by key or id, or all that demand a test and have none.
 * Throws `not_found` for one that the product does not have, or that is a group.
 */
export function chooseTargets(
  requirements: readonly RequirementFacts[],
  names: readonly string[] | undefined,
): RequirementFacts[] {
  if (names === undefined) {
    return requirements.filter(({ isNormative, isDeprecated, hasTest }) => isNormative && !isDeprecated && !hasTest)
  }
  const found = names.map((name) => {
    const wanted = requirementNumber(name)
    const one = requirements.find(({ id, number }) => id === name || number === wanted)
    if (one === undefined)
      throw notFound('requirement', name, 'name requirements by key or id; a group has no tests of its own')
    return one
  })
  return [...new Set(found)]
}

/** The open branch of the product that has that id or name; throws `not_found` or `BRANCH_NOT_OPEN`. */
export async function requireNamedBranch(
  rows: Rows,
  { call, product }: Pick<AgentContext, 'call' | 'product'>,
  named: string,
): Promise<StoredBranch> {
  const found = await rows
    .selectFrom('branch')
    .select('id')
    .where('product_id', '=', product.id)
    .where('state', '=', 'BRANCH_STATE_OPEN')
    .where('name', '=', named)
    .executeTakeFirst()
  const { branch } = await requireOpenBranch(rows, call.principal, found?.id ?? named)
  if (branch.product_id === product.id) return branch
  throw notFound('branch', named, 'list the branches of the product, or omit it to draft on a new one')
}
