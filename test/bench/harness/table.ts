import { judge, type Judged } from './judge.ts'
import type { Figure, Goal, Table } from './suite.ts'

const columns = ['', 'median', 'min – max', 'ratio', 'goal', ''] as const

/** The cells of a table: a line of titles, then one line for each figure. Numbers have three significant digits. */
function cells(table: Table): string[][] {
  const rows = judge(table).map((figure) => [
    figure.name,
    valueText('median', figure),
    figure.values.length === 1 ? '' : `${short(figure.min)} – ${short(figure.max)}`,
    figure.against === undefined ? '' : valueText('ratio', figure),
    (figure.goals ?? []).map((goal) => goalText(goal, figure)).join('; '),
    verdict(figure),
  ])
  return [[...columns], ...rows]
}

function verdict({ goals = [], missed }: Judged): string {
  if (goals.length === 0) return ''
  return missed.length === 0 ? 'reached' : 'missed'
}

/** `≤ 40 ms`, `≥ 0.8 ×`. */
export function goalText({ of, most, least }: Goal, { unit }: Figure): string {
  const limit = [most !== undefined && `≤ ${String(most)}`, least !== undefined && `≥ ${String(least)}`]
  return `${limit.filter(Boolean).join(', ')} ${of === 'ratio' ? '×' : unit}`
}

/** What a goal is about: `38.2 ms`, `3.1 × node -e 0`. */
export function valueText(of: Goal['of'], figure: Judged): string {
  return of === 'ratio'
    ? `${short(figure.ratio ?? Number.NaN)} × ${figure.against ?? ''}`
    : `${short(figure.median)} ${figure.unit}`
}

/** The table as lines for a terminal. */
export function terminalTable(table: Table): string {
  const notes = (table.notes ?? []).map((note) => `    ${note}\n`)
  return `  ${table.title}\n${aligned(cells(table))}${notes.join('')}`
}

/** Lines of cells below one another: the first column to the left, the others to the right. */
export function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const padded = (line: readonly string[]) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
  return lines.map((line) => `    ${padded(line).join('  ').trimEnd()}\n`).join('')
}

/** The figures of a table, then its notes, for Markdown. */
export function markdownTable(table: Table): string {
  return [markdownCells(cells(table)), ...(table.notes ?? [])].join('\n\n')
}

/** Lines of cells as a table of Markdown; the first line has the titles. */
export function markdownCells([titles = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]) => `| ${row.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  const rule = `| --- | ${'---: | '.repeat(titles.length - 2)}--- |`
  return [line(titles), rule, ...rows.map(line)].join('\n')
}

/** Three significant digits, whole numbers from 100 on; `unknown` for NaN. */
function short(value: number): string {
  if (Number.isNaN(value)) return 'unknown'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}
