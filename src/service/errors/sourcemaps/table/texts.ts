import type { PieceCache } from './pieces.ts'

/** A text in pieces that end with a line: the number of its first piece, and the first line of each. */
export interface StoredText {
  piece: number
  lines: number[]
}

/** A piece is cut at the first line end after so many characters: what the context of one frame decompresses. */
const PIECE_CHARACTERS = 1 << 13

/** Adds a text to the pieces of a file. */
export function writeText(text: string, add: (piece: Uint8Array) => number): StoredText {
  const stored: StoredText = { piece: -1, lines: [] }
  let line = 0
  let start = 0
  do {
    const newline = text.indexOf('\n', start + PIECE_CHARACTERS)
    const end = newline < 0 ? text.length : newline + 1
    const bytes = Buffer.from(text.slice(start, end))
    const piece = add(bytes)
    if (stored.piece < 0) stored.piece = piece
    stored.lines.push(line)
    line += countLineEnds(bytes)
    start = end
  } while (start < text.length)
  return stored
}

function countLineEnds(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++
  return count
}

/** The lines of a piece, without their ends. */
export function decodeLines(bytes: Buffer): string[] {
  const text = bytes.toString()
  // What follows the last line end is a line only if it is not empty.
  const lines = text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
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
