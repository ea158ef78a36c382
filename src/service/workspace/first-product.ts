import { sql } from 'kysely'
import type { Platform } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import { replaceProduct, type ProductFacts } from './products.ts'

/** The first product says what it is called and what its issues are called. */
export type FirstProduct = ProductFacts & { slug: string; key_prefix: string }

/** The first product until somebody says otherwise. */
export const firstProduct: FirstProduct = { name: 'My product', slug: 'my-product', key_prefix: 'APP' }

/** Whatever somebody did or sent leaves a row in one of these. */
const traces = ['environment', 'release', 'component', 'issue', 'occurrence', 'dropped_by_sdk', 'audit'] as const

/** Whether the only product is the first one as it was made, and nobody has worked with it or reported to it since. */
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

/** Makes an untouched first product into another, which keeps its id and its DSN. False when it is in use already. */
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
