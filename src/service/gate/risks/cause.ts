import { isOfProduct } from '../../sql/conditions.ts'
import type { Rows } from '../../sql/database.ts'
import { readTexts } from '../../sql/json.ts'
import { identity } from '../facts.ts'
import type { Item } from './stored.ts'

/**
 * The failing items that have a cause in common with one of the chosen: the issue that tests reproduce, or a component.
 * Only causes of the chosen items count, so that one cause does not lead to the next.
 */
export async function withSameCause(
  rows: Rows,
  productId: number,
  { chosen, failing }: { chosen: readonly Item[]; failing: readonly Item[] },
): Promise<Item[]> {
  const causes = await readCauses(rows, productId, [...chosen, ...failing])
  const wanted = new Set(chosen.flatMap((item) => causes.get(identity(item)) ?? []))
  return failing.filter((item) => causes.get(identity(item))?.some((cause) => wanted.has(cause)) === true)
}

/** The causes of items by identity: `issue:ID` and `component:ID`. */
async function readCauses(
  rows: Rows,
  productId: number,
  items: readonly Item[],
): Promise<Map<string, readonly string[]>> {
  const ids = (type: Item['type']) => items.filter((item) => item.type === type).map(({ id }) => id)
  const tests = await rows
    .selectFrom('test')
    .select(['id', 'issue_id', 'component_ids'])
    .where(isOfProduct('product_id', productId))
    .where(rows.dialect.isOneOf('id', ids('test')))
    .execute()
  const requirements = await rows
    .selectFrom('requirement')
    .select(['id', 'component_ids'])
    .where(isOfProduct('product_id', productId))
    .where(rows.dialect.isOneOf('id', ids('requirement')))
    .execute()
  const issues = await rows
    .selectFrom('issue')
    .select(['id', 'component_id'])
    .where(isOfProduct('product_id', productId))
    .where(rows.dialect.isOneOf('id', ids('issue')))
    .execute()
  return new Map<string, readonly string[]>([
    ...tests.map((row) => [`test:${row.id}`, [...issue(row.issue_id), ...components(row)]] as const),
    ...requirements.map((row) => [`requirement:${row.id}`, components(row)] as const),
    ...issues.map((row) => [`issue:${row.id}`, [...issue(row.id), ...component(row.component_id)]] as const),
  ])
}

const issue = (id: string) => (id === '' ? [] : [`issue:${id}`])
const component = (id: string) => (id === '' ? [] : [`component:${id}`])
const components = (row: { component_ids: string }) => readTexts(row.component_ids).flatMap(component)
