import { notFound } from '../../../errors.ts'
import type { Call, Principal } from '../../shared/context.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import { insideTransaction, rolledBack, takenBack } from '../../sql/rolled-back.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { requireOpenBranch, type StoredBranch } from '../store/branches.ts'
import { replay } from './replay.ts'

/** A branch with its product. */
export interface OpenBranch {
  branch: StoredBranch
  product: StoredProduct
}

/** The product, or the requirement or test, that a request with a branch names. */
export interface NamedOnBranch {
  product_id?: string | undefined
  /** Of a requirement or test. */
  id?: string | undefined
}

/**
 * Runs `work` on the main tree with the changes of a branch: its call reads and writes inside one transaction, in which the
 * branch was replayed and which is rolled back (decision 062). Throws `BRANCH_NOT_OPEN`, and `not_found` for a branch of
 * another product than `named`.
 */
export function readOnBranch<T>(
  call: Call,
  branchId: string,
  named: NamedOnBranch,
  work: (call: Call, found: OpenBranch) => Promise<T>,
): Promise<T> {
  return rolledBack(call.db, async (rows, prepare) => {
    const found = await requireBranchFor({ rows, call }, branchId, named)
    return replayed({ rows, prepare, call }, found, (onBranch) => work(onBranch, found))
  })
}

/** `readOnBranch` inside a transaction of the caller, which keeps what it wrote before. */
export function readOnBranchInside<T>(
  inside: { rows: Rows; prepare: Prepare; call: Call },
  found: OpenBranch,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  return takenBack(inside.rows, () => replayed(inside, found, work))
}

async function replayed<T>(
  { rows, prepare, call }: { rows: Rows; prepare: Prepare; call: Call },
  { branch, product }: OpenBranch,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  await replay({ rows, prepare, product }, call, branch)
  return work({ ...call, db: insideTransaction(rows, prepare) })
}

/**
 * The open branch that a request names; `not_found` if it belongs to another product than `named`. A requirement or test that
 * the caller cannot see is left to the work on the branch, which does not find it: nothing says that it exists (contract §0.4).
 */
export async function requireBranchFor(
  { rows, call }: { rows: Rows; call: Call },
  branchId: string,
  named: NamedOnBranch,
): Promise<OpenBranch> {
  const found = await requireOpenBranch(rows, call.principal, branchId)
  const product = named.product_id ?? (await findProductId(rows, call.principal, named.id))
  if (product === undefined || product === String(found.product.id)) return found
  throw notFound('branch', branchId, 'list the branches of the product, or omit it to use the main tree')
}

async function findProductId(rows: Rows, { workspaceIds }: Principal, id = ''): Promise<string | undefined> {
  const seen = rows.selectFrom('product').select('id').where('workspace_id', 'in', workspaceIds)
  for (const table of ['requirement', 'test'] as const) {
    const row = await rows
      .selectFrom(table)
      .select('product_id')
      .where('id', '=', id)
      .where('product_id', 'in', seen)
      .executeTakeFirst()
    if (row !== undefined) return String(row.product_id)
  }
  return undefined
}
