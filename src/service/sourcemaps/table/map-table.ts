import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { checkIndex, decodeHeader, HEADER_BYTES, indexBytes } from './layout.ts'
import type { Header } from './layout.ts'
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
  /** About what it takes in memory. */
  readonly bytes: number
  close(): void
}

/** Room for a chunk of text of the usual size, so that it is decompressed in one go. */
const CHUNK_BYTES = 1 << 16
/** Names are read with so many bytes at once; longer ones need a second look. */
const NAME_BYTES = 64

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
  const fileBytes = fstatSync(fd).size
  if (fileBytes < HEADER_BYTES) throw new Error(`has only ${fileBytes} bytes, too few for a map table`)
  const head = read(fd, 0, HEADER_BYTES)
  const header = decodeHeader(head, fileBytes)
  const index = read(fd, header.indexOffset, indexBytes(header))
  checkIndex(head, index)
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
    return read(fd, from, to - from)
  }
  let lastBlock: { number: number; bytes: Uint8Array } = { number: -1, bytes: new Uint8Array() }
  const block = (number: number) => {
    if (lastBlock.number !== number) lastBlock = { number, bytes: bytesAt(...range(index.blockOffsets, number)) }
    return lastBlock.bytes
  }
  const chunk = (number: number) => {
    const compressed = bytesAt(...range(index.chunkOffsets, number))
    return zstdDecompressSync(compressed, { chunkSize: CHUNK_BYTES }).toString()
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
      return firstChunk === lastChunk ? undefined : linesOf(index, chunk, { firstChunk, lastChunk, first, end })
    },
    bytes: index.bytes,
    close() {
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
  chunk: (number: number) => string,
  { firstChunk, lastChunk, first, end }: { firstChunk: number; lastChunk: number; first: number; end: number },
): string[] {
  const lineOf = (number: number) => chunkLines[number] ?? 0
  const lines: string[] = []
  for (let number = firstChunk; number < lastChunk && lineOf(number) < end; number++) {
    if (number + 1 < lastChunk && lineOf(number + 1) <= first) continue
    const text = chunk(number)
    if (text === '') break
    // What follows the last end of a line is a line only when there is something.
    const here = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
    const from = Math.max(first - lineOf(number), 0)
    for (const line of here.slice(from, end - lineOf(number)))
      lines.push(line.endsWith('\r') ? line.slice(0, -1) : line)
  }
  return lines
}

function read(fd: number, position: number, length: number): Buffer {
  // Not from the pool: the index is read as 32-bit numbers, which have to be aligned.
  const bytes = Buffer.allocUnsafeSlow(length)
  for (let done = 0; done < length;) {
    const count = readSync(fd, bytes, done, length - done, position + done)
    if (count === 0) throw new Error(`ends at byte ${position + done}`)
    done += count
  }
  return bytes
}
