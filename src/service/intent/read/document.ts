import type { SourceDocument } from '../types.ts'

export type Format = 'markdown' | 'plain' | 'gherkin'

const BY_MEDIA_TYPE = { 'text/markdown': 'markdown', 'text/plain': 'plain', 'text/x-gherkin': 'gherkin' } as const
const BY_NAME: readonly (readonly [RegExp, Format])[] = [
  [/\.feature$/i, 'gherkin'],
  [/\.(?:md|markdown|mdx)$/i, 'markdown'],
  [/\.(?:txt|text|eml|log)$/i, 'plain'],
]
/** A keyword for a feature, after comments and tags only. */
const FEATURE = /^(?:\s|#[^\n]*\n|@[^\n]*\n){0,200}(?:Feature|Business Need|Ability):/
const MARKDOWN = /^(?:#{1,6} \S|```|~~~|\|.*\|\s*$|[-*] \[[ xX]\] |\s{0,3}>? ?\*\*\S)|\]\(\S+\)/m

/** How a document is read: by its media type, else its name, else its first characters. */
export function formatFor({ mediaType, name, content }: SourceDocument): Format {
  if (mediaType !== undefined) return BY_MEDIA_TYPE[mediaType]
  const byName = BY_NAME.find(([pattern]) => pattern.test(name))?.[1]
  if (byName !== undefined) return byName
  const start = content.slice(0, 20_000)
  if (FEATURE.test(start)) return 'gherkin'
  return MARKDOWN.test(start) ? 'markdown' : 'plain'
}

/** The lines of a document, as Markdown counts them. */
export function linesIn(content: string): string[] {
  const text = content.startsWith('\uFEFF') ? content.slice(1) : content
  return text.split(/\r\n|\r|\n/)
}
