import { cachePieces, openPieces, writePieces } from './pieces.ts'
import { decodeLines, readLines, writeText, type StoredText } from './texts.ts'

/** Raised whenever a reader of the old form would misread the new one. */
const FORMAT = 'source 1'

/** A source on disk that was uploaded beside a map. Every method throws an Error after `close()`. */
export interface SourceTable {
  /** The lines from `first` up to but without `end`, 0-based, without their ends; fewer when the text has fewer. */
  lines(first: number, end: number): string[]
  /** Forgets what was read last. */
  rest(): void
  /** Approximate bytes of memory at rest. */
  readonly bytes: number
  close(): void
}

/** Writes the text of a source to the file, in pieces. */
export function writeSourceTable(text: string, file: string): void {
  writePieces(file, FORMAT, (add): { text: StoredText } => ({ text: writeText(text, add) }))
}

/** Opens a table by reading its index. Throws an Error that names the file when it is damaged or of another format. */
export function openSourceTable(file: string): SourceTable {
  const pieces = openPieces<{ text: StoredText }>(file, FORMAT)
  const lines = cachePieces(pieces, decodeLines)
  return {
    lines: (first, end) => readLines(pieces.contents.text, lines, first, end),
    rest: () => lines.clear(),
    bytes: pieces.bytes,
    close() {
      lines.clear()
      pieces.close()
    },
  }
}
