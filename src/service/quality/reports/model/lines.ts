/** Line (1 for the first) of an offset in `text`. Offsets asked for in ascending order cost one pass over the text together. */
export function lineCounter(text: string): (offset: number) => number {
  let line = 1
  let start = 0
  // Kept, so that a text of one long line is not searched to its end for every offset.
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
