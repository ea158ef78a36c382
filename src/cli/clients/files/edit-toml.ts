import { parse, stringify } from 'smol-toml'
import { isDeepStrictEqual } from 'node:util'
import { isMembers, type Members, type Path, type Value } from './values.ts'

/** TOML as plain values. */
export function parseToml(text: string): Members {
  return parse(text) as Members
}

/**
 * The text with the table at the path. An existing table is replaced up to the next header or the comments above it; a new
 * one is added at the end, where nothing can belong to it by mistake. So are the tables within it that have headers of their
 * own; one that has its values already stays as it is written.
 */
export function setInToml(text: string, path: Path, value: Value): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const before = parseToml(text)
  const wanted = tables(path, value)
  const lines = text.split(/\r?\n/)
  const missing: string[] = []
  for (const table of wanted.slice(1).toReversed()) {
    const start = findHeader(lines, table.path)
    if (start === -1) missing.unshift('', ...table.lines)
    else if (!isDeepStrictEqual(tables(table.path, at(before, table.path))[0]?.lines, table.lines))
      lines.splice(start, sectionEnd(lines, start) - start, ...table.lines)
  }
  for (let start = lines.length - 1; start >= 0; start -= 1) {
    const own = headerPath(lines[start] ?? '')
    if (own?.startsWith(`${join(path)}.`) && !wanted.some((table) => join(table.path) === own))
      lines.splice(start, sectionEnd(lines, start) - start)
  }
  const table = [...(wanted[0]?.lines ?? []), ...missing]
  const start = findHeader(lines, path)
  if (start === -1) {
    const kept = lines.join(newline).trimEnd()
    return [...(kept === '' ? [] : [kept, '']), ...table, ''].join(newline)
  }
  lines.splice(start, sectionEnd(lines, start) - start, ...table)
  return lines.join(newline)
}

interface Table {
  path: Path
  lines: string[]
}

/** The table of a value and those within it, each with its header. */
function tables(path: Path, value: Value | undefined): Table[] {
  const entries = Object.entries(isMembers(value) ? value : {})
  const own = Object.fromEntries(entries.filter(([, member]) => !isMembers(member)))
  const lines = [
    `[${path.map(headerName).join('.')}]`,
    ...(Object.keys(own).length === 0 ? [] : writeToml(own).split('\n')),
  ]
  const within = entries.filter(([, member]) => isMembers(member))
  return [{ path, lines }, ...within.flatMap(([name, member]) => tables([...path, name], member))]
}

/** TOML with lists as most people write them. */
export function writeToml(value: Value): string {
  return stringify(value)
    .trim()
    .replaceAll(/^([\w-]+ = )\[ (.*) \]$/gm, '$1[$2]')
}

function headerName(name: string | number): string {
  return /^[\w-]+$/.test(String(name)) ? String(name) : JSON.stringify(name)
}

const join = (path: Path) => path.map(String).join('.')

function at(value: Value, path: Path): Value | undefined {
  return path.reduce<Value | undefined>((inside, step) => (isMembers(inside) ? inside[step] : undefined), value)
}

const findHeader = (lines: readonly string[], path: Path) => lines.findIndex((line) => headerPath(line) === join(path))

/** The index after the last line of the table, without the comments above the next one. */
function sectionEnd(lines: readonly string[], start: number): number {
  const next = lines.findIndex((line, index) => index > start && /^\s*\[/.test(line))
  let end = next === -1 ? lines.length : next
  while (/^\s*(?:#.*)?$/.test(lines[end - 1] ?? 'x') && end - 1 > start) end -= 1
  return end
}

/** The names of a header, joined by dots; undefined for any other line. */
function headerPath(line: string): string | undefined {
  const [, inside] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line) ?? []
  return inside
    ?.split('.')
    .map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .join('.')
}
