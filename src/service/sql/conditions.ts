import { sql, type Expression, type SqlBool } from 'kysely'

/** `column IN (values)`, false without values. `column` is ours: it goes into the statement as it is. */
export function columnIn(column: string, values: readonly (string | number)[]): Expression<SqlBool> {
  return values.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`${sql.raw(column)} IN (${sql.join(values)})`
}
