import { sql } from 'kysely'
import type { Platform } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import { readJson } from '../sql/json.ts'
import { GatePolicy } from '../../contract/quality-gate/policy.ts'
import { Repository } from '../../contract/products.ts'
import { systemActor } from './actor.ts'
import { audit } from './audit.ts'
import { choosePrefix, chooseSlug, replaceProduct, type ProductFacts } from './products.ts'

/** Facts of the first product, with the slug and the prefix of its issues' keys. */
export type FirstProduct = ProductFacts & { slug: string; key_prefix: string }

/** The first product until somebody renames it. */
export const firstProduct: FirstProduct = { name: 'My product', slug: 'my-product', key_prefix: 'APP' }

/** Everything that people do and send leaves a row in one of these tables. */
const traces = ['environment', 'release', 'component', 'issue', 'occurrence', 'dropped_by_sdk', 'audit'] as const

/** Whether the only product is the first one, unchanged, and nothing has been done in it or sent to it since. */
export async function isUntouched(rows: Rows): Promise<boolean> {
  const products = await rows.selectFrom('product').select(['slug', 'version', 'next_issue_number']).limit(2).execute()
  const [first] = products
  if (products.length !== 1 || first?.slug !== firstProduct.slug) return false
  if (first.version !== 1 || first.next_issue_number !== 1) return false
  for (const table of traces) {
    if (
      (await rows
        .selectFrom(table)
        .select(sql`1`.as('one'))
        .limit(1)
        .executeTakeFirst()) !== undefined
    )
      return false
  }
  return true
}

/** Replaces the facts of an untouched first product, which keeps its id and DSN. Returns false when it is in use. */
export async function adoptUntouched(
  rows: Rows,
  platform: Platform,
  id: number,
  facts: FirstProduct,
): Promise<boolean> {
  if (!(await isUntouched(rows))) return false
  await replaceProduct(rows, platform, id, facts)
  return true
}

/**
 * Gives a product what only the first start could give it so far: a name and, as long as it has no issue, the prefix of
 * their keys, if it is the unnamed first product; and a repository, if it has none. The rest stays. Throws
 * `already_exists` for a prefix that is taken.
 */
export async function describeProduct(
  rows: Rows,
  platform: Platform,
  id: number,
  facts: Pick<ProductFacts, 'name' | 'key_prefix' | 'repository'>,
): Promise<void> {
  const before = await rows.selectFrom('product').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const repository = readJson(Repository, before.repository)
  const isUnnamed = before.name === firstProduct.name && before.slug === firstProduct.slug
  const after = {
    name: isUnnamed ? facts.name : before.name,
    slug: isUnnamed ? await chooseSlug(rows, before.workspace_id, { name: facts.name }) : before.slug,
    key_prefix:
      isUnnamed && before.next_issue_number === 1
        ? await choosePrefix(rows, before.workspace_id, facts)
        : before.key_prefix,
    description: before.description,
    repository: repository.url === '' ? { ...repository, ...facts.repository } : repository,
    gate_policy: readJson(GatePolicy, before.gate_policy),
  }
  await replaceProduct(rows, platform, id, after)
  const call = { ...platform, actor: systemActor, via: '' as const, byAgent: false }
  await audit(rows, call, { verb: 'update', resourceType: 'product', resourceId: String(id), before, after })
}
