import { sql, type SqlBool } from 'kysely'
import type * as z from 'zod'
import { GatePolicy } from '../../contract/quality-gate/policy.ts'
import { Product, ProductSettings, Repository } from '../../contract/products.ts'
import { computeEtag } from '../shared/etag.ts'
import type { Rows } from '../sql/database.ts'
import { timestamp } from '../shared/times.ts'
import type { StoredProduct } from './products.ts'
import { readJson } from '../sql/json.ts'

type ProductBody = z.input<typeof Product>

/** The contract's products; `origin` (`https://host:4319`) is the address that the caller used. */
export async function viewProducts(
  rows: Rows,
  origin: string,
  products: readonly StoredProduct[],
): Promise<ProductBody[]> {
  if (products.length === 0) return []
  const ids = products.map(({ id }) => id)
  const [keys, counts] = await Promise.all([publicKeys(rows, ids), countContents(rows, ids)])
  return products.map((row) => ({
    id: String(row.id),
    workspace_id: row.workspace_id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    key_prefix: row.key_prefix,
    repository: readJson(Repository, row.repository),
    gate_policy: readJson(GatePolicy, row.gate_policy),
    settings: readJson(ProductSettings, row.settings),
    ingest: ingestAddresses(origin, row.id, keys.get(row.id) ?? ''),
    setup_state: Product.shape.setup_state.parse(row.setup_state),
    counts: counts.get(row.id)!,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    etag: computeEtag(row.id, row.version),
  }))
}

/**
 * The addresses that the product's SDKs report to; `https://<publicKey>@{ingest_host}/<productId>` is the
 * specification's DSN.
 */
export function ingestAddresses(origin: string, productId: number, publicKey: string): ProductBody['ingest'] {
  const [scheme, host] = origin.split('://')
  return {
    dsn: `${scheme}://${publicKey}@${host}/${productId}`,
    public_key: publicKey,
    envelope_url: `${origin}/api/${productId}/envelope/`,
    store_url: `${origin}/api/${productId}/store/`,
  }
}

/** The oldest valid public key of each product. */
export async function publicKeys(rows: Rows, productIds: readonly number[]): Promise<Map<number, string>> {
  const keys = await rows
    .selectFrom('dsn_key')
    .select(['product_id', 'public_key'])
    .where('product_id', 'in', productIds)
    .where('kind', '=', 'public')
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('public_key', 'desc')
    .execute()
  return new Map(keys.map(({ product_id, public_key }) => [product_id, public_key]))
}

/** Written like the condition of the index (migration 0031): SQLite uses a partial index only for the same condition. */
const isUnresolved = sql<SqlBool>`(status = 'unresolved') IS TRUE`

/** The number of a product's resources by noun, without deleted ones; of tests only cases count. */
async function countContents(rows: Rows, productIds: readonly number[]): Promise<Map<number, ProductBody['counts']>> {
  const here = sql`IN (${sql.join(productIds)})`
  const { rows: found } = await sql<{ noun: keyof ProductBody['counts']; product_id: number; size: number }>`
    SELECT 'components' AS noun, product_id, count(*) AS size FROM component
      WHERE product_id ${here} GROUP BY product_id
    UNION ALL SELECT 'environments', product_id, count(*) FROM environment
      WHERE product_id ${here} AND deleted_at IS NULL GROUP BY product_id
    UNION ALL SELECT 'releases', release.product_id, count(*) FROM release
      JOIN environment ON environment.id = release.environment_id
      WHERE release.product_id ${here} AND environment.deleted_at IS NULL GROUP BY release.product_id
    UNION ALL SELECT 'unresolved_issues', product_id, count(*) FROM issue
      WHERE product_id ${here} AND ${isUnresolved} GROUP BY product_id
    UNION ALL SELECT 'requirements', product_id, count(*) FROM requirement
      WHERE product_id ${here} AND deleted_at IS NULL GROUP BY product_id
    UNION ALL SELECT 'tests', product_id, count(*) FROM test
      WHERE product_id ${here} AND kind = 'TEST_KIND_CASE' AND deleted_at IS NULL GROUP BY product_id`.execute(rows)
  const counts = new Map(productIds.map((id) => [id, { ...NOTHING }]))
  for (const { noun, product_id: id, size } of found) {
    const own = counts.get(id)
    if (own !== undefined) own[noun] = size
  }
  return counts
}

const NOTHING: ProductBody['counts'] = {
  requirements: 0,
  tests: 0,
  components: 0,
  environments: 0,
  releases: 0,
  unresolved_issues: 0,
}
