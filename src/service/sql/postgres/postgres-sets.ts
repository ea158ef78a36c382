import type { Bindable, Lists } from '../database.ts'
import { inSizes } from '../writing/send-rows.ts'
import { toBound, withNames, withNumbers, type Bound } from './postgres-parameters.ts'

/** Of each row that is found: the index of its list, from 1. */
const INDEX = 'list_index'

/**
 * The query that finds the first row for each of the lists, by a statement for one of them. The rows have an `INDEX`, and are
 * in no order. `LIMIT` makes the server look up one list after the other in an index, whatever it knows of the table.
 */
export function readingEach(sql: string, lists: Lists): Bound {
  const { source, names, values } = asRows(lists)
  const text = `SELECT each.${INDEX}, found.* FROM ${source} WITH ORDINALITY AS each (${names.join(', ')}, ${INDEX})
    CROSS JOIN LATERAL (${withColumns(sql)} LIMIT 1) AS found`
  return { text, values }
}

/** Rows as they were found, in the order of their lists. */
export function inOrder<T>(rows: readonly unknown[], { length }: Lists): (T | undefined)[] {
  const found = Array.from<T | undefined>({ length })
  // The statement names it; the rest is the shape of the caller's own SQL text.
  for (const { [INDEX]: index, ...row } of rows as readonly (T & Record<typeof INDEX, number>)[])
    found[index - 1] = row as T
  return found
}

/** The query that changes the rows of all lists, by an `UPDATE` with a condition for one of them. */
export function changingEach(sql: string, lists: Lists): Bound {
  const { source, names, values } = asRows(lists)
  const condition = sql.lastIndexOf('WHERE ')
  if (condition < 0) throw new Error('the statement has no condition')
  const [set, where] = [sql.slice(0, condition), sql.slice(condition)]
  return { text: withColumns(`${set}FROM ${source} AS each (${names.join(', ')}) ${where}`), values }
}

/** The queries that insert a row for each list, by an `INSERT` of one row; the server inserts them in this order. */
export function* insertingEach(sql: string, lists: Lists): Generator<Bound> {
  const [, head, row] = /^([^]*\bVALUES\s*)(\([?,\s]*\))\s*$/.exec(sql) ?? []
  if (head === undefined || row === undefined) throw new Error('the statement does not end with a row of parameters')
  for (const some of inSizes(lists)) {
    yield { text: withNumbers(head + some.map(() => row).join(', ')), values: some.flat().map(toBound) }
  }
}

/** A source of one row for each list: an array for each column. */
function asRows(lists: Lists): { source: string; names: string[]; values: unknown[] } {
  const width = lists[0]?.length ?? 0
  const columns = Array.from({ length: width }, (_, column) => lists.map((list) => list[column] ?? null))
  const arrays = columns.map((values, column) => `$${column + 1}::${typeName(values)}[]`)
  return {
    source: `unnest(${arrays.join(', ')})`,
    names: columns.map((_, column) => columnName(column + 1)),
    values: columns.map((values) => values.map(toBound)),
  }
}

function withColumns(sql: string): string {
  return withNames(sql, (number) => `each.${columnName(number)}`)
}

function columnName(number: number | string): string {
  return `p${number}`
}

function typeName(values: readonly Bindable[]): 'bigint' | 'text' {
  const value = values.find((each) => each !== null)
  if (value instanceof Uint8Array) throw new TypeError('an array of bytes cannot be part of a list')
  return typeof value === 'number' || typeof value === 'bigint' ? 'bigint' : 'text'
}
