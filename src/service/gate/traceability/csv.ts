import { stringify } from 'csv-stringify/sync'
import { columns, heading, toLines } from './lines.ts'
import type { Matrix } from './model.ts'

/**
 * The matrix as CSV (RFC 4180): one record that says what it is, the names of the columns, and one record for each
 * requirement and test. No cell is a formula to a spreadsheet: one that begins like a formula gets an apostrophe, and so
 * does what follows a semicolon, a tab or a line break in a cell, which separate cells where the computer's language says so.
 */
export function asCsv(matrix: Matrix, product: string): string {
  const top = heading(matrix, product).map(([label, value]) => `${label}: ${value}`)
  const records = toLines(matrix.rows).map((line) => columns.map((column) => withoutFormula(line[column])))
  const options = { record_delimiter: 'windows', escape_formulas: true, quoted_match: /[;\t]/ } as const
  return stringify([['traceability matrix', ...top.map(withoutFormula)], [...columns], ...records], options)
}

// oxlint-disable no-control-regex -- control characters are what spreadsheets skip

/** Spreadsheets skip blanks and control characters before a formula; the writer escapes only one at the very start. */
const hiddenAtStart = /^[\s\u0000-\u001f]+[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * A reader whose separator is the semicolon sees the quotes around a cell in the middle of one of its own, where they do not
 * hold the cell together.
 */
const hiddenInside = /[;\t\r\n](?=[\s\u0000-\u001f"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g

function withoutFormula(cell: string): string {
  const inside = cell.replaceAll(hiddenInside, "$&'")
  return hiddenAtStart.test(cell) ? `'${inside}` : inside
}
