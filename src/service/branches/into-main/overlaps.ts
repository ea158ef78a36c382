import type * as z from 'zod'
import type { AlsoChangedIn } from '../../../contract/branches.ts'
import type { Rows } from '../../sql/database.ts'
import type { NamedChange } from '../merge/index.ts'
import { readAlsoChanged } from '../store/also-changed.ts'
import type { StoredBranch } from '../store/branches.ts'

/** What other open branches change of the requirements and tests that a branch changes, with the members of both. */
export async function findOverlaps(
  rows: Rows,
  branch: StoredBranch,
  changes: readonly NamedChange[],
): Promise<z.input<typeof AlsoChangedIn>[]> {
  const ids = changes.map(({ entityId }) => entityId)
  const found = await readAlsoChanged(rows, branch, ids)
  return changes.flatMap(({ entityId, operation, fields, base }) => {
    const ours = Object.keys(operation === 'CHANGE_OPERATION_DELETE' ? base : fields)
    return (found.get(entityId) ?? []).map((other) => {
      const isDeletion = operation === 'CHANGE_OPERATION_DELETE' || other.fields.length === 0
      // A deletion changes every member.
      const shared = isDeletion && other.fields.length === 0 ? ours : other.fields.filter((name) => ours.includes(name))
      return { ...other, fields: shared }
    })
  })
}
