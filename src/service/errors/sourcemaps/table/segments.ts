import type { VisitMapping } from '../format/visit-mapping.ts'
import { lastAtOrBefore } from './blocks.ts'

/*
 * A block of segments: numbers of 32 bits, first the generated lines of all its segments, then their generated columns,
 * sources, original lines, original columns and names. A source or name of −1 is none. Like numbers next to each other
 * compress to about a fifth.
 */
const FIELDS = 6
/** A lookup decompresses one block, in about 0.1 ms; the index takes about 60 bytes for each. */
const BLOCK_SEGMENTS = 512

/** A segment, with the numbers of its source and name. */
export interface Segment {
  source: number
  line: number
  column: number
  name: number
}

/** Collects segments, which have to come in order, into blocks. */
export interface BlockWriter {
  add: VisitMapping
  /** Ends the last block. */
  finish(): void
}

/**
 * Hands each full block to `write`, with its first position. Of several segments at one position only the first and the
 * last can be found (see `findInBlock`): the others are left out, and both are in one block.
 */
export function createBlockWriter(write: (block: Uint8Array, line: number, column: number) => void): BlockWriter {
  // Row by row while they are collected.
  const rows = new Int32Array(FIELDS * (BLOCK_SEGMENTS + 1))
  let segments = 0
  let repeated = 0
  const finish = () => {
    const block = new Int32Array(FIELDS * segments)
    for (let at = 0; at < block.length; at++) block[(at % FIELDS) * segments + Math.floor(at / FIELDS)] = rows[at] ?? 0
    if (segments > 0) write(new Uint8Array(block.buffer), block[0] ?? 0, block[segments] ?? 0)
    segments = 0
  }
  return {
    add(generatedLine, generatedColumn, source, line, column, name) {
      const last = FIELDS * (segments - 1)
      const isSame = segments > 0 && rows[last] === generatedLine && rows[last + 1] === generatedColumn
      repeated = isSame ? repeated + 1 : 0
      if (repeated > 1) segments -= 1
      else if (repeated === 0 && segments >= BLOCK_SEGMENTS) finish()
      rows.set([generatedLine, generatedColumn, source, line, column, name], FIELDS * segments)
      segments += 1
    },
    finish,
  }
}

/** A block as `findInBlock` reads it. */
export function decodeBlock(bytes: Uint8Array): Int32Array {
  return new Int32Array(Uint8Array.from(bytes).buffer)
}

/**
 * The last segment of a block at or before the position and on its line. Of several at exactly the position it is the
 * first, which is what other readers of source maps answer.
 */
export function findInBlock(block: Int32Array, line: number, column: number): Segment | undefined {
  const count = block.length / FIELDS
  const [lines, columns] = [block.subarray(0, count), block.subarray(count, 2 * count)]
  let found = lastAtOrBefore({ lines, columns }, line, column)
  if (lines[found] !== line) return undefined
  if (columns[found] === column && lines[found - 1] === line && columns[found - 1] === column) found -= 1
  const field = (number: number) => block[number * count + found] ?? 0
  return { source: field(2), line: field(3), column: field(4), name: field(5) }
}
