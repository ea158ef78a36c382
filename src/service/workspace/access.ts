import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Scope } from '../../contract/base/endpoint.ts'
import { notFound, ServiceError } from '../../errors.ts'
import type { Principal } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import type { EnvironmentRow, ReleaseRow, Schema } from '../sql/schema.ts'
import type { StoredProduct } from './products.ts'

/** Throws `permission_denied` unless the token has the scope. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.has(scope)) return
  throw new ServiceError('permission_denied', `the token lacks the scope ${scope}; use one that has it`, {
    reason: 'SCOPE_MISSING',
    metadata: { scope },
  })
}

/** Tables whose rows belong to a product. */
type OwnedTable = 'agent_config' | 'agent_run' | 'branch' | 'environment' | 'issue' | 'release' | 'requirement' | 'test'

/**
 * The row with that id and its product, which are asked for at once. Throws the error of `missing` when there is no row or it
 * was deleted, and also when the principal is not a member of the product's workspace, so that all look the same (contract §0.4).
 */
export async function requireAccess<Table extends OwnedTable>(
  rows: Rows,
  principal: Principal,
  { table, id }: { table: Table; id: string },
  missing: () => ServiceError,
): Promise<{ row: Selectable<Schema[Table]>; product: StoredProduct }> {
  const here = sql`FROM ${sql.table(table)} WHERE id = ${id}`
  const [found, product] = await Promise.all([
    sql<Selectable<Schema[Table]>>`SELECT * ${here}`.execute(rows),
    readProduct(rows, sql<number>`(SELECT product_id ${here})`),
  ])
  const [row] = found.rows
  if (row === undefined || isDeleted(row)) throw missing()
  return { row, product: requireShown(principal, product, missing) }
}

function isDeleted(row: object): boolean {
  return 'deleted_at' in row && row.deleted_at !== null
}

/** Throws `not_found` when the principal is not a member of the workspace. */
export function requireMember(principal: Principal, workspaceId: string): void {
  if (!principal.workspaceIds.includes(workspaceId)) throw notFound('workspace', workspaceId, 'list the workspaces')
}

/** The product with that id; `not_found` also when the principal is not a member of its workspace (contract §0.4). */
export async function requireProduct(rows: Rows, principal: Principal, id: string): Promise<StoredProduct> {
  const missing = () => notFound('product', id, 'list the products of the workspace')
  return requireShown(principal, await readProduct(rows, Number(id)), missing)
}

/** The environment with that id, by the same rule; a deleted one is not found. */
export async function requireEnvironment(
  rows: Rows,
  principal: Principal,
  id: string,
): Promise<Selectable<EnvironmentRow>> {
  const missing = () => notFound('environment', id, 'list the environments of the product')
  return (await requireAccess(rows, principal, { table: 'environment', id }, missing)).row
}

/** The release with that id and its product, by the same rule. */
export async function requireRelease(
  rows: Rows,
  principal: Principal,
  id: string,
): Promise<{ release: Selectable<ReleaseRow>; product: StoredProduct }> {
  const missing = () => notFound('release', id, 'list the releases of the product')
  const { row: release, product } = await requireAccess(rows, principal, { table: 'release', id }, missing)
  return { release, product }
}

/** Throws `not_found` for the first of the ids that is not a component of the product. */
export async function requireComponents(rows: Rows, productId: number, ids: readonly string[] = []): Promise<void> {
  if (ids.length === 0) return
  const found = await rows
    .selectFrom('component')
    .select('id')
    .where('product_id', '=', productId)
    .where('id', 'in', ids)
    .execute()
  const missing = ids.find((id) => !found.some((row) => row.id === id))
  if (missing !== undefined) throw notFound('component', missing, 'list the components of the product')
}

function readProduct(rows: Rows, id: number | RawBuilder<number>): Promise<StoredProduct | undefined> {
  return rows.selectFrom('product').selectAll().where('id', '=', id).executeTakeFirst()
}

function requireShown(principal: Principal, product: StoredProduct | undefined, missing: () => ServiceError) {
  if (product === undefined || !principal.workspaceIds.includes(product.workspace_id)) throw missing()
  return product
}
