import type { InputOf } from '../../contract/index.ts'
import { defaultGatePolicy, GatePolicy } from '../../contract/quality-gate/policy.ts'
import { ProductSettings, Repository } from '../../contract/products.ts'
import { ServiceError } from '../../errors.ts'
import type { Writing } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import { readJson } from '../sql/json.ts'
import { audit } from './audit.ts'
import { choosePrefix, chooseSlug, type StoredProduct } from './products.ts'

type PolicyInput = NonNullable<InputOf<'createProduct'>['gate_policy']>

/** Replaces the gate policy: absent members have their defaults, the version is the next. Resolves to the new policy. */
export async function setGatePolicy(rows: Rows, call: Writing, productId: number, input: PolicyInput) {
  const product = await currentProduct(rows, productId)
  const before = readJson(GatePolicy, product.gate_policy)
  const after = GatePolicy.parse({ ...defaultGatePolicy, ...input, version: before.version + 1 })
  await update(rows, call, product, { gate_policy: JSON.stringify(after) })
  if (after.result_max_age_hours !== before.result_max_age_hours) await judgeCoverageAgain(rows, product.id)
  const resourceId = String(product.id)
  await audit(rows, call, { verb: 'update', resourceType: 'gate_policy', resourceId, before, after })
  return after
}

/** Whoever reads the coverage next computes it with the new policy. */
async function judgeCoverageAgain(rows: Rows, productId: number): Promise<void> {
  await rows.updateTable('requirement_coverage').set({ stale_at: 0 }).where('product_id', '=', productId).execute()
}

/** Changes some settings of a product; resolves to all of them. */
export async function changeSettings(
  rows: Rows,
  call: Writing,
  productId: number,
  change: Partial<ReturnType<typeof readSettings>>,
) {
  const product = await currentProduct(rows, productId)
  const before = readSettings(product)
  const after = { ...before, ...change }
  await update(rows, call, product, { settings: JSON.stringify(after) })
  const resourceId = String(product.id)
  await audit(rows, call, { verb: 'update', resourceType: 'product_settings', resourceId, before, after })
  return after
}

/** What of a product its name can be changed with. */
export interface ProductNames {
  name: string
  key_prefix?: string | undefined
  repositoryUrl?: string | undefined
}

/**
 * Gives a product another name, its slug, and where given a repository and the prefix of the keys of issues. Throws
 * `failed_precondition` for another prefix once there is an issue, whose key people have quoted, and `already_exists` for one
 * that is taken.
 */
export async function renameProduct(
  rows: Rows,
  call: Writing,
  productId: number,
  { name, key_prefix: prefix, repositoryUrl }: ProductNames,
): Promise<StoredProduct> {
  const before = await currentProduct(rows, productId)
  const hasPrefix = prefix === undefined || prefix === before.key_prefix
  if (!hasPrefix && before.next_issue_number > 1) {
    throw new ServiceError(
      'failed_precondition',
      `the keys of issues stay ${before.key_prefix}-1, …: some are in use already; leave --key-prefix out`,
    )
  }
  const repository = readJson(Repository, before.repository)
  await update(rows, call, before, {
    name,
    slug: name === before.name ? before.slug : await chooseSlug(rows, before.workspace_id, { name }),
    key_prefix: hasPrefix
      ? before.key_prefix
      : await choosePrefix(rows, before.workspace_id, { name, key_prefix: prefix }),
    repository: JSON.stringify({ ...repository, ...(repositoryUrl !== undefined && { url: repositoryUrl }) }),
  })
  const after = await currentProduct(rows, productId)
  await audit(rows, call, { verb: 'update', resourceType: 'product', resourceId: String(productId), before, after })
  return after
}

/** The settings of a product. */
export function readSettings({ settings }: Pick<StoredProduct, 'settings'>) {
  return readJson(ProductSettings, settings)
}

/** Read again in the transaction that changes it. */
function currentProduct(rows: Rows, id: number): Promise<StoredProduct> {
  return rows.selectFrom('product').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

async function update(
  rows: Rows,
  call: Writing,
  { id, version }: StoredProduct,
  columns: Partial<Pick<StoredProduct, 'gate_policy' | 'settings' | 'name' | 'slug' | 'key_prefix' | 'repository'>>,
): Promise<void> {
  await rows
    .updateTable('product')
    .set({ ...columns, version: version + 1, updated_at: call.now() })
    .where('id', '=', id)
    .execute()
}
