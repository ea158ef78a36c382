import { attachHashes } from '../../grouping/lookup.ts'
import type { Prepare } from '../../../sql/database.ts'
import { returnRows } from '../../../sql/writing/send-rows.ts'
import type { Prepared } from './prepared.ts'

/**
 * The first writer wins: a hash that leads to another issue keeps leading there, unless the event came with a server key
 * and the writer with a public one. Returns whether any hash is new, which means that the issue had not been reached through
 * this path in the code before.
 */
export async function attachIssueHashes(
  prepare: Prepare,
  { productId, grouping, vouched }: Pick<Prepared, 'productId' | 'grouping' | 'vouched'>,
  issueId: string,
): Promise<boolean> {
  const after = vouched
    ? 'ON CONFLICT (product_id, hash) DO UPDATE SET issue_id = excluded.issue_id, vouched = 1 WHERE issue_hash.vouched = 0'
    : 'ON CONFLICT DO NOTHING'
  const insertion = {
    insert: 'INSERT INTO issue_hash (product_id, hash, issue_id, vouched)',
    after: `${after} RETURNING hash`,
  }
  let attached = false
  await attachHashes(grouping, async (hashes) => {
    const rows = hashes.map((hash) => [productId, hash, issueId, vouched ? 1 : 0])
    const added = await returnRows<{ hash: string }>(prepare, insertion, rows)
    attached ||= added.length > 0
    return added.map(({ hash }) => hash)
  })
  return attached
}
