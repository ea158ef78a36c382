import { AstBuilder, type Dialect, Errors, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin'
import type { Feature } from '@cucumber/messages'
import type { Element } from './split.ts'

/** Lines that are added before an element to make it a document. */
const FRAME_LINES = 2

export type Parsed = { feature: Feature; reason?: undefined } | { feature?: undefined; reason: string }

/** Parses an element as the only one of a feature. Its tree, or what is wrong, with the line in the whole document. */
export function parseElement(
  element: Element,
  lines: readonly string[],
  { language, dialect, before }: { language: string; dialect: Dialect; before: number },
): Parsed {
  const isFeature = element.kind === 'feature'
  const frame = isFeature ? [`# language: ${language}`] : [`# language: ${language}`, `${dialect.feature[0] ?? ''}: -`]
  const source = [...frame, ...lines.slice(element.start, element.end)].join('\n')
  try {
    const parser = new Parser(new AstBuilder(() => ''), new GherkinClassicTokenMatcher())
    const { feature } = parser.parse(source)
    return feature === undefined ? { reason: reasonFor('', 0) } : { feature }
  } catch (error) {
    if (!(error instanceof Errors.GherkinException)) throw error
    const first = error.errors[0] ?? error
    const line = first instanceof Errors.GherkinException ? first.location.line : FRAME_LINES
    const last = before + element.end
    return { reason: reasonFor(first.message, Math.min(last, before + element.start + line - frame.length)) }
  }
}

const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/unexpected end of file/, 'the text ends where a step, a table row or a closing mark is needed'],
  [/inconsistent cell count/, 'the rows of the table have different numbers of cells'],
  [/tag may not contain/, 'a tag contains a space'],
  [/Language not supported/, 'Gherkin has no keywords in the language that is named'],
]

/** A skip reason with the line, in our words: the parser quotes the document. */
export function reasonFor(message: string, line: number): string {
  const words =
    MISTAKES.find(([pattern]) => pattern.test(message))?.[1] ?? 'the line is no step, tag, table row or keyword'
  return `GHERKIN_SYNTAX (line ${String(line)}: ${words})`
}
