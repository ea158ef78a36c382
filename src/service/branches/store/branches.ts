import type { Selectable } from 'kysely'
import type * as z from 'zod'
import type { BranchSource } from '../../../contract/branches.ts'
import { notFound, ServiceError } from '../../../errors.ts'
import { cut } from '../../../lib/text.ts'
import { checkEtag, computeEtag } from '../../shared/etag.ts'
import type { Principal, Writing } from '../../shared/context.ts'
import { cutPage, type Page } from '../../shared/paging.ts'
import { countRows } from '../../sql/count-rows.ts'
import type { Rows } from '../../sql/database.ts'
import type { BranchRow } from '../../sql/schema-branches.ts'
import { requireAccess } from '../../workspace/access.ts'
import { audit } from '../../workspace/audit.ts'
import type { StoredProduct } from '../../workspace/products.ts'

export type StoredBranch = Selectable<BranchRow>

export interface BranchFacts {
  name: string
  description?: string | undefined
  git_ref?: string | undefined
  /** Default BRANCH_SOURCE_MANUAL. */
  source?: { kind: z.output<typeof BranchSource>; agent_run_id: string } | undefined
}

/** Creates an empty branch. Throws `already_exists` when an open branch of the product has the name. */
export async function createBranch(
  rows: Rows,
  call: Writing,
  product: Pick<StoredProduct, 'id' | 'tree_revision'>,
  { name, description = '', git_ref = '', source }: BranchFacts,
): Promise<StoredBranch> {
  await checkName(rows, product.id, name)
  const now = call.now()
  const branch = await rows
    .insertInto('branch')
    .values({
      id: call.newId(),
      product_id: product.id,
      name,
      description,
      git_ref,
      ...(source !== undefined && { source_kind: source.kind, agent_run_id: source.agent_run_id }),
      base_revision: product.tree_revision,
      created_by: JSON.stringify(call.actor),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(rows, call, { verb: 'create', resourceType: 'branch', resourceId: branch.id, after: branch })
  return branch
}

async function checkName(rows: Rows, productId: number, name: string): Promise<void> {
  const taken = await rows
    .selectFrom('branch')
    .select('id')
    .where('product_id', '=', productId)
    .where('name', '=', name)
    .where('state', '=', 'BRANCH_STATE_OPEN')
    .executeTakeFirst()
  if (taken === undefined) return
  throw new ServiceError('already_exists', 'an open branch has this name; use that one, or choose another name', {
    reason: 'BRANCH_EXISTS',
    metadata: { existing_id: taken.id },
    violations: [{ field: 'name', description: 'is taken' }],
  })
}

/** The name, with a number after it if an open branch of the product has it. */
export async function findFreeName(rows: Rows, productId: number, name: string): Promise<string> {
  const open = await rows
    .selectFrom('branch')
    .select('name')
    .where('product_id', '=', productId)
    .where('state', '=', 'BRANCH_STATE_OPEN')
    .execute()
  const taken = new Set(open.map((row) => row.name))
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${cut(name, 110)} (${String(number)})`
  return free
}

/** The branch with that id and its product; `not_found` also when the principal is not a member of its workspace. */
export async function requireBranch(
  rows: Rows,
  principal: Principal,
  id: string,
): Promise<{ branch: StoredBranch; product: StoredProduct }> {
  const missing = () => notFound('branch', id, 'list the branches of the product, or omit it to use the main tree')
  const { row: branch, product } = await requireAccess(rows, principal, { table: 'branch', id }, missing)
  return { branch, product }
}

/** The branch of a product with this id, else its open one with this name. */
export async function findBranch(rows: Rows, productId: number, idOrName: string): Promise<StoredBranch | undefined> {
  const found = await rows
    .selectFrom('branch')
    .selectAll()
    .where('product_id', '=', productId)
    .where((where) =>
      where.or([
        where('id', '=', idOrName),
        where.and([where('name', '=', idOrName), where('state', '=', 'BRANCH_STATE_OPEN')]),
      ]),
    )
    .execute()
  return found.find(({ id }) => id === idOrName) ?? found[0]
}

/** `requireBranch` for a branch that can be read and written: `BRANCH_NOT_OPEN` once it is merged or closed. */
export async function requireOpenBranch(
  rows: Rows,
  principal: Principal,
  id: string,
): Promise<{ branch: StoredBranch; product: StoredProduct }> {
  const found = await requireBranch(rows, principal, id)
  const { state } = found.branch
  if (state === 'BRANCH_STATE_OPEN') return found
  const what = state === 'BRANCH_STATE_MERGED' ? 'merged; read the main tree' : 'closed; use an open branch'
  throw new ServiceError('failed_precondition', `the branch has been ${what}`, { reason: 'BRANCH_NOT_OPEN' })
}

/** The tag of a branch, which changes with everything that is written on it. */
export function branchEtag({ id, state, head_revision }: StoredBranch): string {
  return computeEtag(`${id}\n${state}`, head_revision)
}

/** Closes an open branch: its changes are kept, and can no longer be read or written. */
export async function closeBranch(
  rows: Rows,
  call: Writing & { principal: Principal },
  { id, etag }: { id: string; etag: string | undefined },
): Promise<void> {
  const { branch } = await requireOpenBranch(rows, call.principal, id)
  checkEtag(etag, branchEtag(branch))
  await rows
    .updateTable('branch')
    .set({ state: 'BRANCH_STATE_CLOSED', updated_at: call.now() })
    .where('id', '=', id)
    .execute()
  await audit(rows, call, { verb: 'delete', resourceType: 'branch', resourceId: id, before: branch })
}

/** One page of the branches of a product in those states, newest first. */
export async function listBranchRows(
  rows: Rows,
  query: { productId: number; states: readonly string[]; name: string | undefined; page: Page },
) {
  const { productId, states, name, page } = query
  const { after } = page
  const all = rows
    .selectFrom('branch')
    .where('product_id', '=', productId)
    .where('state', 'in', states)
    .$if(name !== undefined, (named) => named.where('name', '=', name ?? ''))
  const finding = all
    .selectAll()
    .$if(after !== undefined, (paged) => paged.where('seq', '<', Number(after?.sortValue)))
    .orderBy('seq', 'desc')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(all), finding])
  return cutPage(page, found, total, ({ seq, id }) => ({ sortValue: seq, id }))
}
