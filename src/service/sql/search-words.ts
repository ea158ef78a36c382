/** The most words of a query that are searched; more do not improve the result. */
const MOST_WORDS = 16

/** The words of a text, as the full-text indexes see it: letters and digits, everything else separates. */
export function wordsIn(text: string): string[] {
  return text.normalize('NFC').match(/[\p{L}\p{N}]+/gu) ?? []
}

/** The distinct words of a free-text query, in lower case. */
export function searchWords(query: string): string[] {
  return [...new Set(wordsIn(query).map((word) => word.toLowerCase()))].slice(0, MOST_WORDS)
}
