import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { cutWithEllipsis, onOneLine } from '../../../lib/text.ts'
import { ServiceError } from '../../../errors.ts'
import { entityKey } from '../../quality/keys.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import { StoredActor } from '../../workspace/actor.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import type { StoredBranch } from '../store/branches.ts'
import type { Plan } from './plan.ts'

interface Previewed {
  branch: StoredBranch
  product: Pick<StoredProduct, 'id' | 'tree_revision'>
}

/** Identifies what was previewed: the revisions of main and of the branch, and a digest of the merge. */
export function previewToken({ branch, product }: Previewed, { result, proposals, changedLinks }: Plan): string {
  const seen = [branch.id, result.changes.map(({ targetId, members }) => [targetId, members]), result.conflicts]
  const states = proposals.map(({ id, state }) => [id, state])
  // Reports change links without a revision of the tree.
  const kept = result.links.flatMap(({ id }) => (changedLinks.has(id) ? [id] : []))
  const digest = createHash('sha256')
    .update(JSON.stringify([seen, states, ...kept]))
    .digest('hex')
    .slice(0, 16)
  return [product.tree_revision, branch.head_revision, digest].join('-')
}

/** Throws `PREVIEW_STALE`, with what has changed, unless the token is that of the merge as it would be now. */
export async function checkToken(rows: Rows, previewed: Previewed, plan: Plan, token: string): Promise<void> {
  if (token === previewToken(previewed, plan)) return
  const why = await explainStale(rows, previewed, token)
  throw new ServiceError('aborted', `the preview is stale: ${why}; preview the merge again`, {
    reason: 'PREVIEW_STALE',
  })
}

async function explainStale(rows: Rows, { branch, product }: Previewed, token: string): Promise<string> {
  const [main = Number.NaN, head = Number.NaN] = token.split('-', 2).map(Number)
  if (!(main <= product.tree_revision && head <= branch.head_revision))
    return 'the token is not from a preview of this branch'
  const merged = await rows
    .selectFrom('branch')
    .select(['id', 'name'])
    .where('product_id', '=', product.id)
    .where('merged_revision', '>', main)
    .orderBy('merged_revision', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (merged !== undefined) return describeMerge(rows, merged)
  if (main < product.tree_revision) return describeChange(rows, product.id)
  return head < branch.head_revision ? 'this branch was changed since' : 'what it showed has changed since'
}

async function describeMerge(rows: Rows, { id, name }: { id: string; name: string }): Promise<string> {
  const { count } = await rows
    .selectFrom('branch_change')
    .select((build) => build.fn.countAll<number>().as('count'))
    .where('branch_id', '=', id)
    .where('entity_type', '=', 'requirement')
    .executeTakeFirstOrThrow()
  const changed = count === 1 ? '1 requirement changed' : `${String(count)} requirements changed`
  return `branch "${shorten(name)}" was merged since, and ${changed}`
}

/** Who changed what last: the newest change of a requirement or test in the audit trail. */
async function describeChange(rows: Rows, productId: number): Promise<string> {
  const newest = await rows
    .selectFrom('audit')
    .leftJoin('requirement', 'requirement.id', 'audit.resource_id')
    .leftJoin('test', 'test.id', 'audit.resource_id')
    .select(['audit.actor', 'requirement.number as requirement', 'test.number as test'])
    .where((where) =>
      where.or([where('requirement.product_id', '=', productId), where('test.product_id', '=', productId)]),
    )
    .orderBy(sql.ref(`audit.${rows.dialect.insertionOrder}`), 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest === undefined) return 'requirements, tests or links changed since'
  const { display_name: name } = readJson(StoredActor, newest.actor)
  const key =
    newest.requirement === null ? entityKey('test', newest.test ?? 0) : entityKey('requirement', newest.requirement)
  return `${shorten(name)} changed ${key} since`
}

function shorten(name: string): string {
  return cutWithEllipsis(onOneLine(name), 60)
}
