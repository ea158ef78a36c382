import { sql, type Expression, type SqlBool } from 'kysely'

/** `column IN (values)`, false without values. `column` is ours: it goes into the statement as it is. */
export function columnIn(column: string, values: readonly (string | number)[]): Expression<SqlBool> {
  return values.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`${sql.raw(column)} IN (${sql.join(values)})`
}

/**
 * A condition on the product that no index can serve, for use beside a condition on ids: otherwise SQLite reads all rows of
 * the product by an index and compares them with the ids, 12 ms for three of 10,000 issues. `column` goes into the
 * statement as it is.
 */
export function isOfProduct(column: string, id: number): Expression<SqlBool> {
  return sql<boolean>`${sql.raw(column)} + 0 = ${id}`
}
