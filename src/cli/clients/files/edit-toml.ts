import { parse, stringify } from 'smol-toml'
import { isMembers, type Members, type Path, type Value } from './values.ts'

/** TOML as plain values. */
export function parseToml(text: string): Members {
  return parse(text) as Members
}

/**
 * The text with the table at the path. An existing table is replaced up to the next header or the comments above it; a new
 * one is added at the end, where nothing can belong to it by mistake.
 */
export function setInToml(text: string, path: Path, value: Value): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text.split(/\r?\n/)
  const table = tableLines(path, value)
  const start = lines.findIndex((line) => isHeader(line, path))
  if (start === -1) {
    const kept = text.trimEnd()
    return [...(kept === '' ? [] : [kept, '']), ...table, ''].join(newline)
  }
  const next = lines.findIndex((line, index) => index > start && /^\s*\[/.test(line) && !isInside(line, path))
  let end = next === -1 ? lines.length : next
  while (/^\s*(?:#.*)?$/.test(lines[end - 1] ?? 'x') && end - 1 > start) end -= 1
  return [...lines.slice(0, start), ...table, ...lines.slice(end)].join(newline)
}

/** A table under its header, followed by the tables in it under theirs. */
function tableLines(path: Path, value: Value): string[] {
  const members = isMembers(value) ? Object.entries(value) : []
  const tables = members.filter(([, inner]) => isMembers(inner))
  const others = Object.fromEntries(members.filter(([, inner]) => !isMembers(inner)))
  return [
    `[${path.map(headerName).join('.')}]`,
    ...writeToml(others).split('\n'),
    ...tables.flatMap(([name, inner]) => ['', ...tableLines([...path, name], inner)]),
  ]
}

function headerName(name: string | number): string {
  return /^[\w-]+$/.test(String(name)) ? String(name) : JSON.stringify(name)
}

/** TOML with lists as most people write them. */
export function writeToml(value: Value): string {
  return stringify(value)
    .trim()
    .replaceAll(/^([\w-]+ = )\[ (.*) \]$/gm, '$1[$2]')
}

function isHeader(line: string, path: Path): boolean {
  return namesIn(line)?.join('.') === path.join('.')
}

/** Whether the line is the header of a table in the one at the path. */
function isInside(line: string, path: Path): boolean {
  const names = namesIn(line) ?? []
  return names.length > path.length && names.slice(0, path.length).join('.') === path.join('.')
}

/** The names of a header. */
function namesIn(line: string): string[] | undefined {
  const [, inside] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line) ?? []
  return inside?.split('.').map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2'))
}
