import type { StatementSync } from 'node:sqlite'

/** A row as the driver hands it over, once `plainRows` has asked for arrays. */
type Values = readonly unknown[]
type Row = Record<string, unknown>

/**
 * Makes the rows of a statement plain objects: those of node:sqlite have no prototype, which V8 keeps in a form that is slow
 * to make, to read and to spread (decision 132).
 */
export function plainRows(statement: StatementSync): (row: unknown) => Row {
  let names = columnNames(statement)
  let make = rowMaker(names)
  // A statement without columns has no rows, and answers what it changed.
  if (names.length > 0) statement.setReturnArrays(true)
  return (row) => {
    const values = row as Values
    // Another process may have added a column, which `*` selects from then on.
    if (values.length !== names.length) {
      names = columnNames(statement)
      make = rowMaker(names)
    }
    return make(values)
  }
}

type Maker = (values: Values) => Row

/** By names: statements that differ only in the number of their parameters have the same. Our statements have a few hundred. */
const makers = new Map<string, Maker>()

/**
 * A function with one object literal, to which V8 gives its own shape at once; a loop that adds a member at a time makes
 * slow objects again where rows have many members. The names come from our own statements and are written as JSON.
 */
function rowMaker(names: readonly string[]): Maker {
  const members = names.map((name, at) => `${JSON.stringify(name)}: values[${String(at)}]`).join(', ')
  // oxlint-disable-next-line typescript/no-implied-eval -- nothing but names of columns and numbers is in it
  const make = makers.get(members) ?? (new Function('values', `return { ${members} }`) as Maker)
  makers.set(members, make)
  return make
}

function columnNames(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}
