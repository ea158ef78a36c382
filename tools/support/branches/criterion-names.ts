import type { Context } from '../../../src/mcp/define/define.ts'
import { everyPage } from '../../../src/mcp/resolve/requests.ts'
import { ifReadable } from '../writes/outcome.ts'
import type { LinkProposal } from './rows.ts'
import type { BranchSubject } from './subject.ts'

/** `REQ-12.2` for criterion 2 of REQ-12, by the id of the criterion, for all criteria that the proposals name. */
export async function readCriterionNames(
  { branch, product }: BranchSubject,
  proposals: readonly LinkProposal[],
  { api, signal }: Context,
): Promise<ReadonlyMap<string, string>> {
  const limited = proposals.filter(({ criterion_ids: criteria = [] }) => criteria.length > 0)
  const key = [...new Set(limited.flatMap(({ requirement }) => requirement?.key || []))]
  if (key.length === 0) return new Map()
  const filter = { product_id: product.id, branch_id: branch.id, key }
  const listed = await ifReadable(
    everyPage((page) => api.listRequirements({ ...filter, ...page }, { signal }), 'requirements'),
  )
  return new Map(
    (listed?.rows ?? []).flatMap(({ key: name = '', acceptance_criteria: criteria = [] }) =>
      criteria.map(({ id }, index): [string, string] => [id, `${name}.${String(index + 1)}`]),
    ),
  )
}
