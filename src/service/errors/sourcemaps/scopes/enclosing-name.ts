import { isKeyword, NAME } from './original-name.ts'

const LITERAL = String.raw`(?:async\b\s*)?(?:function\b|[(<]|${NAME}\s*=>)`
/** First lines of functions, with their names. */
const HEADERS = [
  String.raw`^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b\s*(?:\*\s*)?(${NAME})`,
  String.raw`^export\s+(default)\s+${LITERAL}`,
  String.raw`^(?:export\s+)?(?:const|let|var)\s+(${NAME})\s*(?::(?:[^=]|=>)*)?=\s*${LITERAL}`,
  String.raw`^(?:this\.)?((?:${NAME}\.)*#?${NAME})\s*=\s*${LITERAL}`,
  String.raw`^(${NAME})\s*:\s*${LITERAL}`,
].map((header) => new RegExp(header, 'u'))
const METHOD = new RegExp(
  String.raw`^(?:(?:public|private|protected|static|override|async|get|set)\s+)*\*?\s*(#?${NAME})\s*(?:<[^>]*>)?\(.*\{$`,
  'u',
)
const CLASSES = [
  String.raw`^(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(${NAME})`,
  String.raw`^(?:export\s+)?(?:const|let|var)\s+(${NAME})\s*=.*\bclass\b`,
].map((header) => new RegExp(header, 'u'))
const FUNCTION = /=>|\bfunction\b/g
/** Longer lines are not code that somebody indented. */
const LONGEST_LINE = 1_000

/**
 * The name of the function around the end of the last line, guessed from how programs are indented: that of the nearest
 * line above that is indented less and begins a function. '' when that function has no name or there is none. For code
 * that a minifier moved into another function: the functions of the minified file say nothing about it.
 */
export function enclosingName(lines: readonly string[]): string {
  const last = lines.at(-1) ?? ''
  if (last.length > LONGEST_LINE) return ''
  const functions = last.match(FUNCTION)?.length ?? 0
  if (functions > 0) return functions === 1 ? (firstMatch(HEADERS, last.trim()) ?? '') : ''
  const outer = outerLines(lines)
  for (const [index, line] of outer.entries()) {
    const name = firstMatch(HEADERS, line)
    if (name !== undefined) return name
    const method = METHOD.exec(line)?.[1]
    if (method !== undefined && !isKeyword(method)) return memberName(outer[index + 1] ?? '', method)
    if (line.search(FUNCTION) !== -1) return ''
  }
  return ''
}

function memberName(line: string, method: string): string {
  const owner = firstMatch(CLASSES, line)
  if (owner === undefined) return method
  return method === 'constructor' ? `new ${owner}` : `${owner}.${method}`
}

function firstMatch(patterns: readonly RegExp[], line: string): string | undefined {
  for (const pattern of patterns) {
    const name = pattern.exec(line)?.[1]
    if (name !== undefined) return name
  }
  return undefined
}

/** The lines above, nearest first, each indented less than the one before; without their indentation. */
function outerLines(lines: readonly string[]): string[] {
  const outer: string[] = []
  let indentation = indentWidth(lines.at(-1) ?? '')
  let rest = ''
  for (const line of lines.slice(0, -1).toReversed()) {
    if (line.length > LONGEST_LINE) continue
    const own = indentWidth(line)
    const text = line.trim()
    if (text === '' || own > indentation || (own === indentation && rest === '')) continue
    indentation = own
    // A line that begins with a closing bracket continues a line above it at the same depth.
    if (/^[)\]}]/.test(text)) {
      rest = text
      continue
    }
    outer.push(`${text}${rest}`)
    rest = ''
  }
  return outer
}

function indentWidth(line: string): number {
  return line.length - line.trimStart().length
}
