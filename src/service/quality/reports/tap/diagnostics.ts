/** The scalars of a YAML diagnostics block by key; keys of a nested map as in `at.fileName`. */
export type Diagnostics = ReadonlyMap<string, string>

const KEY = /^(?:([\w$.-]+)|"([^"]*)"|'([^']*)')\s*:(?:\s+(.*))?$/u
const BLOCK = /^[|>][-+\d]*\s*$/u

/**
 * Reads the subset of YAML that TAP producers write into diagnostics: keys with plain, quoted or block scalars, and
 * maps one level deep. Anything else (flow collections, anchors, tags) stays text or is skipped, so that nothing in a
 * report can expand, be constructed or take more than one pass. Values of `~` and `null` are omitted.
 */
export function readDiagnostics(lines: readonly string[]): Diagnostics {
  const values = new Map<string, string>()
  const outer = indentation(lines.find((line) => line.trim() !== '') ?? '')
  let parent = ''
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const indent = indentation(line)
    const match = KEY.exec(line.trim())
    if (match === null) continue
    const key = match[1] ?? match[2] ?? match[3] ?? ''
    const text = match[4]?.trim() ?? ''
    if (indent > outer && parent === '') continue
    const name = indent > outer ? `${parent}.${key}` : key
    if (indent <= outer) parent = text === '' ? key : ''
    if (BLOCK.test(text)) {
      const block = blockBelow(lines, index, indent)
      values.set(name, dedent(block, text.startsWith('|') ? '\n' : ' '))
      index += block.length
      continue
    }
    const value = scalar(text)
    if (value !== undefined && !values.has(name)) values.set(name, value)
  }
  return values
}

/** The lines of a block scalar: those indented deeper than its key, and blank ones. */
function blockBelow(lines: readonly string[], index: number, indent: number): readonly string[] {
  let end = index + 1
  while (end < lines.length && ((lines[end] ?? '').trim() === '' || indentation(lines[end] ?? '') > indent)) end += 1
  return lines.slice(index + 1, end)
}

function dedent(lines: readonly string[], joint: string): string {
  const indent = indentation(lines.find((line) => line.trim() !== '') ?? '')
  return lines
    .map((line) => line.slice(Math.min(indent, indentation(line))))
    .join(joint)
    .trimEnd()
}

function scalar(text: string): string | undefined {
  if (text === '' || text === '~' || text === 'null') return undefined
  if (text.length > 1 && text.startsWith("'") && text.endsWith("'")) return text.slice(1, -1).replaceAll("''", "'")
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) return unescaped(text.slice(1, -1))
  return text
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r' }

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gu, (_, char: string) => escapes[char] ?? char)
}

function indentation(line: string): number {
  return line.length - line.trimStart().length
}
