import { BLOCK_SEGMENTS } from './layout.ts'
import { putSigned, putVarint, takeSigned, takeVarint, VARINT_BYTES } from './varint.ts'

/*
 * A segment in a block: one byte of these flags, then the numbers the flags announce, each as the difference to the
 * segment before (before the first, all are 0): lines on, column (whole after a change of line), source, original line,
 * original column (with HAS_SOURCE always), and where in the file its name stands.
 */
const OTHER_LINE = 1
const HAS_SOURCE = 2
const OTHER_SOURCE = 4
const OTHER_ORIGINAL_LINE = 8
const HAS_NAME = 16

/** A segment as the table holds it; `name` is the offset of its name in the file, 0 for none. */
export interface Segment {
  source: number
  line: number
  column: number
  name: number
}

/** Packs segments, which have to come in order, into the bytes of one block. */
export interface BlockWriter {
  add(line: number, column: number, segment: Segment): void
  readonly segments: number
  /** The bytes since the last call; good until the next `add`. */
  take(): Uint8Array
}

/** A writer without segments. A block holds at most one segment more than BLOCK_SEGMENTS. */
export function createBlockWriter(): BlockWriter {
  const bytes = new Uint8Array((BLOCK_SEGMENTS + 1) * (1 + 6 * VARINT_BYTES))
  const last = { generatedLine: 0, generatedColumn: 0, source: 0, line: 0, column: 0, name: 0 }
  let at = 0
  let segments = 0
  return {
    add(generatedLine, generatedColumn, { source, line, column, name }) {
      const flagsAt = at++
      let flags = 0
      if (generatedLine !== last.generatedLine) {
        flags |= OTHER_LINE
        at = putVarint(bytes, at, generatedLine - last.generatedLine)
        last.generatedColumn = 0
      }
      at = putVarint(bytes, at, generatedColumn - last.generatedColumn)
      last.generatedLine = generatedLine
      last.generatedColumn = generatedColumn
      if (source >= 0) {
        flags |= HAS_SOURCE
        if (source !== last.source) {
          flags |= OTHER_SOURCE
          at = putSigned(bytes, at, source - last.source)
        }
        if (line !== last.line) {
          flags |= OTHER_ORIGINAL_LINE
          at = putSigned(bytes, at, line - last.line)
        }
        at = putSigned(bytes, at, column - last.column)
        last.source = source
        last.line = line
        last.column = column
        if (name > 0) {
          flags |= HAS_NAME
          at = putSigned(bytes, at, name - last.name)
          last.name = name
        }
      }
      bytes[flagsAt] = flags
      segments++
    },
    get segments() {
      return segments
    },
    take() {
      const taken = bytes.subarray(0, at)
      at = 0
      segments = 0
      Object.assign(last, { generatedLine: 0, generatedColumn: 0, source: 0, line: 0, column: 0, name: 0 })
      return taken
    },
  }
}

/**
 * The last segment of a block at or before the position and on its line. Of several at exactly the position it is the
 * first, which is what other readers of source maps answer.
 */
export function findInBlock(bytes: Uint8Array, line: number, column: number): Segment | undefined {
  const place = { bytes, at: 0 }
  const segment: Segment = { source: 0, line: 0, column: 0, name: 0 }
  let name = 0
  let generatedLine = 0
  let generatedColumn = 0
  let foundLine = -1
  let hasSource = false
  while (place.at < bytes.length) {
    const flags = bytes[place.at++] ?? 0
    if ((flags & OTHER_LINE) !== 0) {
      generatedLine += takeVarint(place)
      generatedColumn = 0
    }
    generatedColumn += takeVarint(place)
    if (generatedLine > line || (generatedLine === line && generatedColumn > column)) break
    foundLine = generatedLine
    hasSource = (flags & HAS_SOURCE) !== 0
    if (hasSource) {
      if ((flags & OTHER_SOURCE) !== 0) segment.source += takeSigned(place)
      if ((flags & OTHER_ORIGINAL_LINE) !== 0) segment.line += takeSigned(place)
      segment.column += takeSigned(place)
      if ((flags & HAS_NAME) !== 0) name += takeSigned(place)
      segment.name = (flags & HAS_NAME) === 0 ? 0 : name
    }
    if (generatedLine === line && generatedColumn === column) break
  }
  if (foundLine !== line) return undefined
  return hasSource ? segment : { source: -1, line: 0, column: 0, name: 0 }
}
