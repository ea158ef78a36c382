/** UUIDs, digests, times in seconds, and words in which letters and digits alternate. */
const ID =
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{8,}\b|\b(?=\w*(?:[a-z]\d+[a-z]|\d[a-z]+\d))\w{6,}\b/gi

/**
 * How a text is written: `12.50` and `7.25` are alike, `1,200.00` is not; ids are alike; a word with a letter beyond ASCII
 * is not like one without.
 */
export function shape(text: string): string {
  const masked = withoutNumbers(text)
  // Nearly every text is ASCII, so its words need no callback.
  if (/^\p{ASCII}*$/u.test(masked)) return masked.replaceAll(/[a-z]+/gi, 'a')
  return masked.replaceAll(/\p{L}+/gu, (word) => (/^[a-z]+$/i.test(word) ? 'a' : 'ä'))
}

/** The text with its ids and numbers masked, as issues tell messages apart. */
export function withoutNumbers(text: string): string {
  return text.replaceAll(ID, '#').replaceAll(/\d+/g, '9')
}

/** Whether the value is an id or a time: it differs between occurrences and explains nothing. */
export function isIdOrTime(value: string): boolean {
  return /^(?:#|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-][\d:]+)?|\d{9,}(?:\.\d+)?)$/.test(value.replaceAll(ID, '#'))
}
