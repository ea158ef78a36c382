import { type Dialect, dialects } from '@cucumber/gherkin'

export type ElementKind = 'feature' | 'rule' | 'background' | 'scenario'

/** A part of a feature that is parsed alone, so that a mistake in it costs no other. Indices of lines. */
export interface Element {
  kind: ElementKind
  /** The first of the tags and comments directly before its keyword. */
  start: number
  keyword: number
  end: number
}

/** The language that the lines name, `en` if they name none. */
export function languageIn(lines: readonly string[]): string {
  const line = lines.find((text) => text.trim() !== '' && !/^\s*#(?!\s*language\s*:)/.test(text))
  return /^\s*#\s*language\s*:\s*([\w-]+)\s*$/.exec(line ?? '')?.[1] ?? 'en'
}

/** The keywords of a language; undefined for one that Gherkin does not know. */
export function dialectFor(language: string): Dialect | undefined {
  return Object.hasOwn(dialects, language) ? dialects[language] : undefined
}

/** The elements of the lines in their order. */
export function splitElements(lines: readonly string[], dialect: Dialect): Element[] {
  const kindAt = keywordReader(dialect)
  const isText = docStrings(lines)
  const elements: Element[] = []
  for (const [index, line] of lines.entries()) {
    const kind = isText[index] === true ? undefined : kindAt(line)
    if (kind === undefined) continue
    const last = elements.at(-1)
    const start = withTags(lines, index, (last?.keyword ?? -1) + 1)
    if (last !== undefined) last.end = start
    elements.push({ kind, start, keyword: index, end: lines.length })
  }
  return elements
}

function keywordReader(dialect: Dialect): (line: string) => ElementKind | undefined {
  const kinds = new Map<string, ElementKind>()
  const add = (words: readonly string[], kind: ElementKind) => words.forEach((word) => kinds.set(word, kind))
  add(dialect.feature, 'feature')
  add(dialect.rule, 'rule')
  add(dialect.background, 'background')
  add([...dialect.scenario, ...dialect.scenarioOutline], 'scenario')
  return (line) => {
    const colon = line.indexOf(':')
    return colon === -1 || colon > 100 ? undefined : kinds.get(line.slice(0, colon).trimStart())
  }
}

/** The index of the first tag or comment directly before the keyword. */
function withTags(lines: readonly string[], keyword: number, from: number): number {
  let start = keyword
  for (let index = keyword - 1; index >= from; index -= 1) {
    const line = lines[index]?.trim() ?? ''
    if (line.startsWith('@') || line.startsWith('#')) start = index
    else if (line !== '') break
  }
  return start
}

/** Which lines are inside a doc string. An unclosed one has no lines: its element is a mistake. */
function docStrings(lines: readonly string[]): readonly boolean[] {
  const inside = Array.from<boolean>({ length: lines.length }).fill(false)
  let open: { index: number; mark: string } | undefined
  for (const [index, line] of lines.entries()) {
    const mark = /^\s*("""|```)/.exec(line)?.[1]
    if (mark === undefined || (open !== undefined && open.mark !== mark)) continue
    if (open !== undefined) inside.fill(true, open.index, index + 1)
    open = open === undefined ? { index, mark } : undefined
  }
  return inside
}
