import { sql } from 'kysely'
import type { Platform } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import { replaceProduct, type ProductFacts } from './products.ts'

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
