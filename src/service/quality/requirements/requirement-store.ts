import { ServiceError } from '../../../errors.ts'
import { counted } from '../../../lib/counted.ts'
import type { Writing } from '../../shared/context.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import { audit } from '../../workspace/audit.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { nextTreeRevision, recordTreeChange } from '../tree-changes.ts'
import type { StoredRequirement } from './access.ts'
import { Criteria } from './columns.ts'
import { lintWording } from './lint.ts'
import { changeRequirement, findDescendants, insertRequirement, removeRequirements } from './write.ts'

/** Creates a requirement as `insertRequirement` does, and records the change. */
export async function createRequirement(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  product: Pick<StoredProduct, 'id'>,
  fields: Parameters<typeof insertRequirement>[4],
): Promise<StoredRequirement> {
  const after = await insertRequirement(rows, prepare, call, product, fields)
  await recordTreeChange(rows, call, product.id, {
    verb: 'create',
    resourceType: 'requirement',
    resourceId: after.id,
    after,
  })
  return after
}

/** Changes a requirement as `changeRequirement` does, and records the change. */
export async function updateRequirement(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  before: StoredRequirement,
  fields: Parameters<typeof changeRequirement>[4],
): Promise<StoredRequirement> {
  const after = await changeRequirement(rows, prepare, call, before, fields)
  await recordTreeChange(rows, call, after.product_id, {
    verb: 'update',
    resourceType: 'requirement',
    resourceId: after.id,
    before,
    after,
  })
  return after
}

/** Deletes a requirement; `HAS_CHILDREN` when others are below it unless `recursive`, which deletes them too. */
export async function deleteRequirement(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  requirement: StoredRequirement,
  { recursive, reason }: { recursive: boolean; reason?: string | undefined },
): Promise<void> {
  const below = await findDescendants(rows, requirement)
  if (below.length > 0 && !recursive) {
    const message = `the requirement has ${counted(below.length, 'requirement')} below it; delete those first, or pass recursive`
    throw new ServiceError('failed_precondition', message, { reason: 'HAS_CHILDREN' })
  }
  await removeRequirements(rows, prepare, call, [requirement, ...below], reason)
  for (const before of [requirement, ...below])
    await audit(rows, call, { verb: 'delete', resourceType: 'requirement', resourceId: before.id, before })
  await nextTreeRevision(rows, requirement.product_id)
}

/** The requirements directly below one, in tree order. */
export function readChildren(rows: Rows, id: string): Promise<Pick<StoredRequirement, 'id' | 'number' | 'title'>[]> {
  return rows
    .selectFrom('requirement')
    .select(['id', 'number', 'title'])
    .where('parent_id', '=', id)
    .where('deleted_at', 'is', null)
    .orderBy('tree_path')
    .execute()
}

/** How many links of a requirement are to an earlier version of it. */
export async function countSuspectLinks(prepare: Prepare, requirementId: string): Promise<number> {
  const row = await prepare(
    `SELECT count(*) AS count FROM test_link
     WHERE requirement_id = ? AND state = 'LINK_STATE_SUSPECT' AND archived_at IS NULL`,
  ).get<{ count: number }>(requirementId)
  return row?.count ?? 0
}

/** Findings about the wording of a stored requirement. */
export function lintRequirement(row: StoredRequirement): ReturnType<typeof lintWording> {
  return lintWording(row.title, row.statement, readJson(Criteria, row.acceptance_criteria))
}
