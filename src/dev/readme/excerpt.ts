/** Lines of an answer that a document shows: the first that matches, and those after it. */
export interface Part {
  from: RegExp
  /** How many lines; default 1. */
  lines?: number
}

/**
 * The parts of an answer in their order, with `…` for lines that are left out. Throws if no line matches, since the
 * answer then no longer shows what the document is about.
 */
export function excerpt(text: string, parts: readonly Part[]): string {
  const lines = text.split('\n')
  const shown: string[] = []
  let end = 0
  for (const { from, lines: count = 1 } of parts) {
    const start = lines.findIndex((line, index) => index >= end && from.test(line))
    if (start === -1) throw new Error(`no line from line ${String(end + 1)} on matches ${String(from)} in:\n${text}`)
    if (start > end) shown.push('…')
    end = start + count
    shown.push(...lines.slice(start, end))
  }
  if (end < lines.length) shown.push('…')
  return shown.join('\n')
}

/** An id of version 7, or its beginning as far as it tells the row. */
const UUID = /\b01[0-9a-f]{6}-[0-9a-f]{4}(?:-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})?\b/g

/**
 * The answer with a constant in place of what is drawn at random for each call (the nonce of a block, page tokens, ids), and
 * without spaces at the ends of lines, which the formatter removes.
 */
export function steady(text: string): string {
  return text
    .replaceAll(/(?<=<\/?untrusted-)\d+/g, ({ length }) => '193872877688854'.slice(0, length))
    .replaceAll(/^(next_cursor: ).+$/gm, '$1…')
    .replaceAll(UUID, ({ length }) => '01a2038e-1ecf-7000-8000-000000000000'.slice(0, length))
    .replaceAll(/ +$/gm, '')
}
