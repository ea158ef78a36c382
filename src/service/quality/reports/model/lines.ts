/** Maps an offset in `text` to its line, counted from 1. Ascending offsets cost one pass over the text in total. */
export function lineCounter(text: string): (offset: number) => number {
  let line = 1
  let start = 0
  // Remembered, so that a text of one long line is not scanned to its end for every offset.
  let next = endOfLine(text, 0)
  return (offset) => {
    if (offset < start) {
      line = 1
      start = 0
      next = endOfLine(text, 0)
    }
    while (next < offset) {
      line += 1
      start = next + 1
      next = endOfLine(text, start)
    }
    return line
  }
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? Infinity : at
}
