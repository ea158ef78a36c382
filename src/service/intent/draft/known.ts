import { requirementKey } from '../../quality/keys.ts'
import type { StoredRequirement } from '../../quality/requirements/access.ts'
import { Criteria } from '../../quality/requirements/columns.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import type { Known } from '../match/index.ts'

/** All requirements of a product in tree order, as candidates are compared with them. */
export async function readKnown(rows: Rows, productId: number): Promise<Known[]> {
  const found = await rows
    .selectFrom('requirement')
    .select(['id', 'number', 'title', 'statement', 'acceptance_criteria', 'status', 'kind'])
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .orderBy('tree_path')
    .execute()
  return found.map(asKnown)
}

type Compared = Pick<
  StoredRequirement,
  'id' | 'number' | 'title' | 'statement' | 'acceptance_criteria' | 'status' | 'kind'
>

/** A stored requirement as candidates are compared with it. */
export function asKnown(row: Compared): Known {
  return {
    id: row.id,
    key: requirementKey(row),
    ordinal: 0,
    title: row.title,
    statement: row.statement,
    criteria: readJson(Criteria, row.acceptance_criteria),
    isGroup: row.kind === 'REQUIREMENT_KIND_GROUP',
    isDeprecated: row.status === 'REQUIREMENT_STATUS_DEPRECATED',
  }
}
