import { inOneLine } from '../../lib/outside-text/clean.ts'
import { isMembers, isRows, type Json, type Members } from './json.ts'

/** A list that is longer in one line has a line for each item. */
const LINE_CHARACTERS = 80

/** Lines of text with every fact of the data: one per member, tables for lists of objects. */
export function describe(data: Members): string {
  return Object.entries(data)
    .flatMap(([name, value]) => describeMember(name, value))
    .join('\n')
}

function describeMember(name: string, value: Json): string[] {
  if (isRows(value)) return tableLines(name, value)
  if (Array.isArray(value)) {
    if (value.length === 0) return [`${name}: none`]
    const items = value.map((item) => cell(item))
    const length = items.reduce((sum, item) => sum + item.length + 2, name.length)
    return length > LINE_CHARACTERS || items.some((item) => item.length > 60)
      ? [`${name}:`, ...items.map((item) => `  ${item}`)]
      : [`${name}: ${items.join(', ')}`]
  }
  if (!isMembers(value)) return textLines(name, value)
  const entries = Object.entries(value)
  if (entries.every(([, member]) => !isRows(member) && !isMembers(member) && cell(member).length <= 60)) {
    return [`${name}: ${entries.map(([key, member]) => `${key}=${cell(member)}`).join(', ')}`]
  }
  return [`${name}:`, ...entries.flatMap(([key, member]) => describeMember(key, member).map((line) => `  ${line}`))]
}

function tableLines(name: string, rows: readonly Members[]): string[] {
  const columns = columnNames(rows)
  // Rows that hold lists read better as paragraphs than as cells.
  if (rows.some((row) => Object.values(row).some((value) => typeof value === 'object'))) {
    return [
      `${name}:`,
      ...rows.flatMap((row) => [
        '-',
        ...describe(row)
          .split('\n')
          .map((line) => `  ${line}`),
      ]),
    ]
  }
  return [
    `${name} (${columns.join(' | ')}):`,
    ...rows.map((row) => columns.map((column) => tableCell(row[column] ?? '-')).join(' | ')),
  ]
}

/** A cell in which nothing looks like the border of another. */
function tableCell(value: Json): string {
  return cell(value).replaceAll(/(?<=^|\s)\|(?=\s|$)/g, String.raw`\|`)
}

function textLines(name: string, value: Json): string[] {
  const lines = cell(value, true).split('\n')
  return lines.length === 1 ? [`${name}: ${lines.join('')}`] : [`${name}:`, ...lines.map((line) => `  ${line}`)]
}

/** A value as the text of a cell, in one line unless it may have several. */
export function cell(value: Json, manyLines = false): string {
  if (typeof value === 'string') return manyLines ? value : inOneLine(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The members that any of the rows has, in the order of their first appearance. */
export function columnNames(rows: readonly Members[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))]
}
