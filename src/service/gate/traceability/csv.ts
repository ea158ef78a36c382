import { stringify } from 'csv-stringify/sync'
import { columns, heading, toLines } from './lines.ts'
import type { Matrix } from './model.ts'

/**
 * The matrix as CSV (RFC 4180): one record that says what it is, the names of the columns, and one record for each
 * requirement and test. No cell is a formula to a spreadsheet: one that begins like a formula gets an apostrophe.
 */
export function asCsv(matrix: Matrix, product: string): string {
  const top = heading(matrix, product).map(([label, value]) => `${label}: ${value}`)
  const records = toLines(matrix.rows).map((line) => columns.map((column) => withoutFormula(line[column])))
  const options = { record_delimiter: 'windows', escape_formulas: true } as const
  return stringify([['traceability matrix', ...top.map(withoutFormula)], [...columns], ...records], options)
}

/** Spreadsheets skip blanks and control characters before a formula; the writer escapes only one at the very start. */
function withoutFormula(cell: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what spreadsheets skip
  return /^[\s\u0000-\u001f]+[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell) ? `'${cell}` : cell
}
