import type { InputOf } from '../../contract/index.ts'
import { defaultGatePolicy, GatePolicy } from '../../contract/quality-gate/policy.ts'
import { ProductSettings } from '../../contract/products.ts'
import type { Writing } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import { readJson } from '../sql/json.ts'
import { audit } from './audit.ts'
import type { StoredProduct } from './products.ts'

type PolicyInput = NonNullable<InputOf<'createProduct'>['gate_policy']>

/** Replaces the gate policy: absent members have their defaults, the version is the next. Resolves to the new policy. */
export async function setGatePolicy(rows: Rows, call: Writing, productId: number, input: PolicyInput) {
  const product = await currentProduct(rows, productId)
  const before = readJson(GatePolicy, product.gate_policy)
  const after = GatePolicy.parse({ ...defaultGatePolicy, ...input, version: before.version + 1 })
  await update(rows, call, product, { gate_policy: JSON.stringify(after) })
  const resourceId = String(product.id)
  await audit(rows, call, { verb: 'update', resourceType: 'gate_policy', resourceId, before, after })
  return after
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
  columns: Partial<Pick<StoredProduct, 'gate_policy' | 'settings'>>,
): Promise<void> {
  await rows
    .updateTable('product')
    .set({ ...columns, version: version + 1, updated_at: call.now() })
    .where('id', '=', id)
    .execute()
}
