import type * as z from 'zod'
import type { MergePreview } from '../../../contract/branches.ts'
import { requirementKey } from '../../quality/keys.ts'
import { compareRead, readStatement } from '../../quality/requirements/similarity/index.ts'
import type { Rows } from '../../sql/database.ts'
import type { MergedChange } from '../merge/index.ts'

type Duplicates = z.input<typeof MergePreview>['duplicates']

/** How many requirements that share words with a new one are compared with it. */
const COMPARED = 20

/** Requirements that the merge creates and that say the same as one of main (decision 065), best match first. */
export async function findDuplicates(
  rows: Rows,
  productId: number,
  changes: readonly MergedChange[],
): Promise<Duplicates> {
  const created = changes.filter(({ action, change }) => action === 'create' && change.entityType === 'requirement')
  const deleted = new Set(changes.flatMap(({ action, targetId }) => (action === 'delete' ? [targetId] : [])))
  const found: Duplicates = []
  for (const { change, members } of created) {
    const [title, statement] = [asText(members['title']), asText(members['statement'])]
    const read = readStatement({ title, statement })
    for (const other of await candidates(rows, productId, `${title} ${statement}`)) {
      const { similarity, verdict } = compareRead(readStatement(other), read)
      if (verdict !== 'duplicate' || deleted.has(other.id)) continue
      const requirement = { id: change.entityId, key: change.key, title }
      found.push({
        requirement,
        existing: { id: other.id, key: requirementKey(other), title: other.title },
        similarity,
      })
    }
  }
  return found.toSorted((a, b) => b.similarity - a.similarity)
}

async function candidates(rows: Rows, productId: number, words: string) {
  const ranked = rows.dialect.textIndex.search('requirement', words, 'any')
  if (ranked === undefined) return []
  return rows
    .selectFrom('requirement')
    .innerJoin(ranked.as('ranked'), (join) => join.onRef('ranked.seq', '=', 'requirement.seq'))
    .select(['requirement.id', 'requirement.number', 'requirement.title', 'requirement.statement'])
    .where('requirement.product_id', '=', productId)
    .where('requirement.deleted_at', 'is', null)
    .orderBy('ranked.rank')
    .limit(COMPARED)
    .execute()
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
