import { sql } from 'kysely'
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

/** The number of a product's resources by noun, without deleted ones; of tests only cases count. */
async function countContents(rows: Rows, productIds: readonly number[]): Promise<Map<number, ProductBody['counts']>> {
  const size = sql<number>`count(*)`.as('size')
  // A server answers them at the same time.
  const [components, environments, releases, issues, requirements, tests] = await Promise.all([
    rows
      .selectFrom('component')
      .select(['product_id', size])
      .where('product_id', 'in', productIds)
      .groupBy('product_id')
      .execute(),
    rows
      .selectFrom('environment')
      .select(['product_id', size])
      .where('product_id', 'in', productIds)
      .where('deleted_at', 'is', null)
      .groupBy('product_id')
      .execute(),
    rows
      .selectFrom('release')
      .innerJoin('environment', 'environment.id', 'release.environment_id')
      .select(['release.product_id', size])
      .where('release.product_id', 'in', productIds)
      .where('environment.deleted_at', 'is', null)
      .groupBy('release.product_id')
      .execute(),
    rows
      .selectFrom('issue')
      .select(['product_id', size])
      .where('product_id', 'in', productIds)
      .where('status', '=', 'unresolved')
      .groupBy('product_id')
      .execute(),
    rows
      .selectFrom('requirement')
      .select(['product_id', size])
      .where('product_id', 'in', productIds)
      .where('deleted_at', 'is', null)
      .groupBy('product_id')
      .execute(),
    rows
      .selectFrom('test')
      .select(['product_id', size])
      .where('product_id', 'in', productIds)
      .where('kind', '=', 'TEST_KIND_CASE')
      .where('deleted_at', 'is', null)
      .groupBy('product_id')
      .execute(),
  ])
  const by = (found: readonly { product_id: number; size: number }[], id: number) =>
    found.find(({ product_id }) => product_id === id)?.size ?? 0
  return new Map(
    productIds.map((id) => [
      id,
      {
        requirements: by(requirements, id),
        tests: by(tests, id),
        components: by(components, id),
        environments: by(environments, id),
        releases: by(releases, id),
        unresolved_issues: by(issues, id),
      },
    ]),
  )
}
