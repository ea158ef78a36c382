import { goalText, judge, type Judged } from './judge.ts'
import type { Table } from './suite.ts'

const columns = ['', 'median', 'min – max', 'ratio', 'goal', ''] as const

/** The cells of a table: a line of titles, then one line for each figure. Numbers have three significant digits. */
function cells(table: Table): string[][] {
  const rows = judge(table).map((figure) => [
    figure.name,
    `${short(figure.median)} ${figure.unit}`,
    figure.values.length === 1 ? '' : `${short(figure.min)} – ${short(figure.max)}`,
    figure.ratio === undefined ? '' : `${short(figure.ratio)} × ${figure.against ?? ''}`,
    (figure.goals ?? []).map((goal) => goalText(goal, figure.unit)).join('; '),
    verdict(figure),
  ])
  return [[...columns], ...rows]
}

function verdict({ goals, missed }: Judged): string {
  if (goals === undefined || goals.length === 0) return ''
  return missed.length === 0 ? 'reached' : 'missed'
}

/** The table as lines for a terminal. */
export function terminalTable(table: Table): string {
  const lines = cells(table)
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const shown = lines.map((line) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))),
  )
  const notes = (table.notes ?? []).map((note) => `    ${note}\n`)
  return `  ${table.title}\n${shown.map((line) => `    ${line.join('  ').trimEnd()}\n`).join('')}${notes.join('')}`
}

/** The table for Markdown. */
export function markdownTable(table: Table): string {
  const [titles = [], ...rows] = cells(table)
  const line = (row: readonly string[]) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const rule = `| --- | ${'---: | '.repeat(titles.length - 2)}--- |`
  return [line(titles), rule, ...rows.map(line)].join('\n')
}

function short(value: number): string {
  if (Number.isNaN(value)) return 'unknown'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}
