import type { PieceCache } from './pieces.ts'

/** A text in pieces that end with a line: the number of its first piece, and the first line of each. */
export interface StoredText {
  piece: number
  lines: number[]
}

/** Of JavaScript, by which bundlers count the lines of a source; not those of the text's system. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/

/** A piece is cut at the first line end after so many characters: what the context of one frame decompresses. */
const PIECE_CHARACTERS = 1 << 13

/** Adds a text to the pieces of a file. */
export function writeText(text: string, add: (piece: Uint8Array) => number): StoredText {
  const stored: StoredText = { piece: -1, lines: [] }
  let line = 0
  let start = 0
  const lineEnd = new RegExp(LINE_END, 'g')
  do {
    lineEnd.lastIndex = start + PIECE_CHARACTERS
    const end = lineEnd.test(text) ? lineEnd.lastIndex : text.length
    const part = text.slice(start, end)
    const piece = add(Buffer.from(part))
    if (stored.piece < 0) stored.piece = piece
    stored.lines.push(line)
    line += part.split(LINE_END).length - 1
    start = end
  } while (start < text.length)
  return stored
}

/** The lines of a piece, without their ends. */
export function decodeLines(bytes: Buffer): string[] {
  const lines = bytes.toString().split(LINE_END)
  // What follows the last line end is a line only if it is not empty.
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The lines of a text from `first` up to but without `end`, 0-based; fewer when the text has fewer. */
export function readLines(
  { piece, lines: starts }: StoredText,
  pieces: PieceCache<string[]>,
  first: number,
  end: number,
): string[] {
  const lines: string[] = []
  for (const [number, start] of starts.entries()) {
    if (start >= end || (starts[number + 1] ?? Infinity) <= first) continue
    for (const line of pieces.get(piece + number).slice(Math.max(first - start, 0), end - start)) lines.push(line)
  }
  return lines
}
