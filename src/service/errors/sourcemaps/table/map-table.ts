import { closeSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import { crc32, zstdDecompressSync } from 'node:zlib'
import * as z from 'zod'
import type { Header } from './layout.ts'
import { readBytes, readIndexBytes } from './read-index.ts'
import { findInBlock } from './segments.ts'
import { takeVarint } from './varint.ts'

export { writeMapTable } from './write-map-table.ts'

/** Where a position of the generated code comes from; 0-based. */
export interface Mapping {
  /** −1: this code has no source; then the rest says nothing. */
  source: number
  line: number
  column: number
  /** What the original is called there, '' when the map does not say. */
  name: string
}

/** A map on disk, of which only the index is in memory. Throws an Error from every method once it is closed. */
export interface MapTable {
  /**
   * The last mapping at or before the position on its generated line, undefined when there is none. Of several at exactly
   * the position it is the first, as other readers of source maps answer.
   */
  find(line: number, column: number): Mapping | undefined
  /** Names as the map has them, with `sourceRoot`; '' where it has null. */
  readonly sources: readonly { name: string; ignored: boolean }[]
  /** Whole text of a source; undefined when the map does not hold it. */
  content(source: number): string | undefined
  /**
   * The lines of a source from `first` up to but without `end`, 0-based, without their ends; fewer when the text has
   * fewer. Reads only the part of the text they are in. Undefined when the map does not hold the text.
   */
  lines(source: number, first: number, end: number): string[] | undefined
  /** Forgets the text that was read last, which it keeps for whoever asks for the same again. */
  rest(): void
  /** About what it takes in memory at rest. */
  readonly bytes: number
  close(): void
}

/** Room for a chunk of text of the usual size, so that it is decompressed in one go. */
const CHUNK_BYTES = 1 << 14
/** Names are read with so many bytes at once; longer ones need a second look. */
const NAME_BYTES = 64
/** Chunks whose lines stay in memory: a frame looks at the same text several times, and at that of its function. */
const KEPT_CHUNKS = 2
/** Characters of a chunk that is kept; only one with a very long line has more. */
const LONGEST_KEPT = 1 << 20

/**
 * Opens a table by reading its header and index. Throws an Error that names the file when it is cut off, damaged, of
 * another format, or no map table at all.
 */
export function openMapTable(file: string): MapTable {
  const fd = openSync(file, 'r')
  try {
    return tableOf(fd, readIndex(fd))
  } catch (error) {
    closeSync(fd)
    if (!(error instanceof Error)) throw error
    throw new Error(`${basename(file)} ${error.message}`, { cause: error })
  }
}

interface Index {
  blockLines: Uint32Array
  blockColumns: Uint32Array
  blockChecksums: Uint32Array
  blockOffsets: Uint32Array
  firstChunks: Uint32Array
  chunkOffsets: Uint32Array
  chunkLines: Uint32Array
  sources: { name: string; ignored: boolean }[]
  fileBytes: number
  bytes: number
}

const sourceList = z.object({ names: z.array(z.string()), ignored: z.array(z.number()) })

function readIndex(fd: number): Index {
  const { header, index, fileBytes } = readIndexBytes(fd)
  const sources = readSources(index, header)
  // The names of the sources are held twice: as bytes of the index and as strings.
  return { ...readNumbers(index, header), sources, fileBytes, bytes: index.length + 2 * header.jsonBytes }
}

function readNumbers(index: Buffer, { blocks, sources, chunks }: Header) {
  let at = index.byteOffset
  const next = (length: number) => {
    const numbers = new Uint32Array(index.buffer, at, length)
    at += numbers.byteLength
    return numbers
  }
  return {
    blockLines: next(blocks),
    blockColumns: next(blocks),
    blockChecksums: next(blocks),
    blockOffsets: next(blocks + 1),
    firstChunks: next(sources + 1),
    chunkOffsets: next(chunks + 1),
    chunkLines: next(chunks),
  }
}

function readSources(index: Buffer, { jsonBytes }: Header): Index['sources'] {
  const { names, ignored } = sourceList.parse(JSON.parse(index.toString('utf8', index.length - jsonBytes)))
  const third = new Set(ignored)
  return names.map((name, source) => ({ name, ignored: third.has(source) }))
}

function tableOf(fd: number, index: Index): MapTable {
  let open = true
  const bytesAt = (from: number, to: number) => {
    // The number of a closed file soon means another one.
    if (!open) throw new Error('the map table is closed')
    return readBytes(fd, from, to - from)
  }
  let lastBlock: { number: number; bytes: Uint8Array } = { number: -1, bytes: new Uint8Array() }
  const block = (number: number) => {
    if (lastBlock.number === number) return lastBlock.bytes
    const bytes = bytesAt(...range(index.blockOffsets, number))
    if (crc32(bytes) !== index.blockChecksums[number]) throw new Error('the map table is damaged')
    lastBlock = { number, bytes }
    return bytes
  }
  const chunk = (number: number) => {
    const compressed = bytesAt(...range(index.chunkOffsets, number))
    return zstdDecompressSync(compressed, { chunkSize: CHUNK_BYTES }).toString()
  }
  const kept = new Map<number, string[]>()
  const chunkLines = (number: number) => {
    const known = kept.get(number)
    if (known !== undefined) return known
    const text = chunk(number)
    // What follows the last end of a line is a line only when there is something.
    const lines = text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
    if (text.length > LONGEST_KEPT) return lines
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= KEPT_CHUNKS) kept.delete(oldest)
    kept.set(number, lines)
    return lines
  }
  return {
    find(line, column) {
      const number = lastBefore(index, line, column)
      const found = number < 0 ? undefined : findInBlock(block(number), line, column)
      if (found === undefined) return undefined
      return { ...found, name: found.name === 0 ? '' : readName(bytesAt, found.name, index) }
    },
    sources: index.sources,
    content(source) {
      const [first, end] = range(index.firstChunks, source)
      if (first === end) return undefined
      return Array.from({ length: end - first }, (_, place) => chunk(first + place)).join('')
    },
    lines(source, first, end) {
      const [firstChunk, lastChunk] = range(index.firstChunks, source)
      return firstChunk === lastChunk ? undefined : linesOf(index, chunkLines, { firstChunk, lastChunk, first, end })
    },
    rest: () => kept.clear(),
    bytes: index.bytes,
    close() {
      kept.clear()
      lastBlock = { number: -1, bytes: new Uint8Array() }
      if (open) closeSync(fd)
      open = false
    },
  }
}

/** The entry of a list of begins and the next one, at which it ends. Both 0 when there is no such entry. */
function range(begins: Uint32Array, entry: number): [from: number, to: number] {
  const to = begins[entry + 1]
  return to === undefined ? [0, 0] : [begins[entry] ?? 0, to]
}

/** The last block that begins at or before the position, −1 when all begin after it. */
function lastBefore({ blockLines, blockColumns }: Index, line: number, column: number): number {
  let low = 0
  let high = blockLines.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const first = blockLines[middle] ?? 0
    if (first < line || (first === line && (blockColumns[middle] ?? 0) <= column)) low = middle + 1
    else high = middle
  }
  return low - 1
}

function readName(bytesAt: (from: number, to: number) => Buffer, from: number, { fileBytes }: Index): string {
  const bytes = bytesAt(from, Math.min(from + NAME_BYTES, fileBytes))
  const place = { bytes, at: 0 }
  const length = takeVarint(place)
  const end = place.at + length
  if (end <= bytes.length) return bytes.toString('utf8', place.at, end)
  return bytesAt(from + place.at, from + end).toString()
}

function linesOf(
  { chunkLines }: Index,
  linesIn: (chunk: number) => readonly string[],
  { firstChunk, lastChunk, first, end }: { firstChunk: number; lastChunk: number; first: number; end: number },
): string[] {
  const lineOf = (number: number) => chunkLines[number] ?? 0
  const lines: string[] = []
  for (let number = firstChunk; number < lastChunk && lineOf(number) < end; number++) {
    if (number + 1 < lastChunk && lineOf(number + 1) <= first) continue
    const from = Math.max(first - lineOf(number), 0)
    for (const line of linesIn(number).slice(from, end - lineOf(number)))
      lines.push(line.endsWith('\r') ? line.slice(0, -1) : line)
  }
  return lines
}
