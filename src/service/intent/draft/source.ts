import { LONGEST_TEXT } from '../read/parts/limits.ts'
import type { Candidate, SourceDocument } from '../types.ts'

const QUOTE_IN_NOTE = 300

/** Where a requirement comes from, as a requirement stores it. */
export function sourceFields({ source }: Candidate, documents: readonly SourceDocument[]) {
  const document = documents[source.document]
  return {
    kind: 'REQUIREMENT_SOURCE_DISTILL' as const,
    uri: document === undefined || document.uri !== '' ? (document?.uri ?? '') : document.name,
    line_start: source.lineStart,
    line_end: source.lineEnd,
    quote: source.quote.slice(0, LONGEST_TEXT),
  }
}

/** Where a text says something, in words: `notes.md, lines 3–4: "…"`. */
export function quoteWithPlace({ source }: Candidate, documents: readonly SourceDocument[]): string {
  const { lineStart: start, lineEnd: end } = source
  const lines = start === end ? `line ${String(start)}` : `lines ${String(start)}–${String(end)}`
  const place = documents[source.document]
  const quote = source.quote.replace(/\s+/gu, ' ').slice(0, QUOTE_IN_NOTE)
  return place === undefined ? `"${quote}"` : `${place.name}, ${lines}: "${quote}"`
}
