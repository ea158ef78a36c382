/** A position in a text: both 0-based, the column in UTF-16 code units (ECMA-426). */
export interface Position {
  line: number
  column: number
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const LINE_SEPARATOR = 0x2028
const PARAGRAPH_SEPARATOR = 0x2029

/** Offsets at which the lines of a JavaScript text start: its terminators are LF, CR, CRLF, U+2028 and U+2029. */
export function findLineStarts(text: string): number[] {
  const starts = [0]
  for (let next = lineAfter(text, 0); next !== -1; next = lineAfter(text, next)) starts.push(next)
  return starts
}

/** The position of an offset in the text whose line starts are given. */
export function toPosition(starts: readonly number[], offset: number): Position {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return { line: low, column: offset - (starts[low] ?? 0) }
}

/** Where the line after the one that contains the offset starts, −1 when there is none. */
function lineAfter(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === LINE_FEED || code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR) return at + 1
    if (code === CARRIAGE_RETURN) return text.charCodeAt(at + 1) === LINE_FEED ? at + 2 : at + 1
  }
  return -1
}
