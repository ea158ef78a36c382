import type { StatementSync } from 'node:sqlite'

/** A row as the driver hands it over: an array, once `plainRows` has asked for them. */
type Values = readonly unknown[]

/**
 * Makes the rows of a statement plain objects. Those of node:sqlite have no prototype, which V8 keeps in its slow form: made from
 * arrays they take a quarter less, and to spread one takes a tenth.
 */
export function plainRows(statement: StatementSync): (row: unknown) => Record<string, unknown> {
  let names = columnNames(statement)
  // A statement without columns has no rows, and answers what it changed.
  if (names.length > 0) statement.setReturnArrays(true)
  return (row) => {
    const values = row as Values
    // Another process may have added a column, which `*` selects from then on.
    if (values.length !== names.length) names = columnNames(statement)
    const plain: Record<string, unknown> = {}
    for (let at = 0; at < names.length; at += 1) plain[names[at] ?? ''] = values[at]
    return plain
  }
}

function columnNames(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}
