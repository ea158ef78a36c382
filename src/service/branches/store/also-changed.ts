import type * as z from 'zod'
import type { AlsoChangedIn } from '../../../contract/branches.ts'
import { readChange } from '../changes.ts'
import type { StoredBranch } from './branches.ts'
import { viewChanges } from './view.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'

type Also = z.input<typeof AlsoChangedIn>

/** What other open branches change of these requirements, by requirement. */
export async function readAlsoChanged(
  rows: Rows,
  { id, product_id }: Pick<StoredBranch, 'id' | 'product_id'>,
  requirementIds: readonly string[],
): Promise<Map<string, Also[]>> {
  const found = new Map<string, Also[]>()
  for (const chunk of chunks([...new Set(requirementIds)])) {
    const changes = await rows
      .selectFrom('branch_change')
      .innerJoin('branch', 'branch.id', 'branch_change.branch_id')
      .selectAll('branch_change')
      .select('branch.name as branch_name')
      .where('branch.product_id', '=', product_id)
      .where('branch.state', '=', 'BRANCH_STATE_OPEN')
      .where('branch.id', '<>', id)
      .where('branch_change.entity_id', 'in', chunk)
      .orderBy('branch_change.seq')
      .execute()
    const views = await viewChanges(rows, changes.map(readChange))
    for (const [index, view] of views.entries()) {
      const { branch_id, branch_name: name } = changes[index]!
      const { entity_type, entity_id, key, title, fields, created_by: author } = view
      const also = { branch: { id: branch_id, name }, entity_type, entity_id, key, title, fields, author }
      found.set(entity_id, [...(found.get(entity_id) ?? []), also])
    }
  }
  return found
}
