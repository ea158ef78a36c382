import { sql, type SelectQueryBuilder } from 'kysely'

/** The number of rows that a query finds, whatever it selects of them. */
export async function countRows<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
): Promise<number> {
  // A generic query does not know what it selects.
  const counted = query
    .clearSelect()
    .select(sql<number>`count(*)`.as('total'))
    .$castTo<{ total: number }>()
  return (await counted.executeTakeFirstOrThrow()).total
}
