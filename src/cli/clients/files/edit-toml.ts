import { parse, stringify } from 'smol-toml'
import type { Members, Path, Value } from './values.ts'

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
  const table = [`[${path.map(String).join('.')}]`, ...writeToml(value).split('\n')]
  const start = lines.findIndex((line) => isHeader(line, path))
  if (start === -1) {
    const kept = text.trimEnd()
    return [...(kept === '' ? [] : [kept, '']), ...table, ''].join(newline)
  }
  const next = lines.findIndex((line, index) => index > start && /^\s*\[/.test(line))
  let end = next === -1 ? lines.length : next
  while (/^\s*(?:#.*)?$/.test(lines[end - 1] ?? 'x') && end - 1 > start) end -= 1
  return [...lines.slice(0, start), ...table, ...lines.slice(end)].join(newline)
}

/** TOML with lists as most people write them. */
export function writeToml(value: Value): string {
  return stringify(value)
    .trim()
    .replaceAll(/^([\w-]+ = )\[ (.*) \]$/gm, '$1[$2]')
}

function isHeader(line: string, path: Path): boolean {
  const [, inside] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line) ?? []
  return (
    inside
      ?.split('.')
      .map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2'))
      .join('.') === path.join('.')
  )
}
