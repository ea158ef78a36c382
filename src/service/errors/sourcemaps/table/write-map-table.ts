import { constants, crc32, zstdCompressSync } from 'node:zlib'
import type { ReadMap } from '../format/read.ts'
import { BLOCK_SEGMENTS, encodeHeader, HEADER_BYTES } from './layout.ts'
import { createNumbers, type Numbers } from './numbers.ts'
import { createOutput, type Output } from './output.ts'
import { createBlockWriter, type Segment } from './segments.ts'
import { putVarint, VARINT_BYTES } from './varint.ts'

/** A chunk of text is cut at the first end of a line after so many characters: what one frame's context decompresses. */
const CHUNK_CHARACTERS = 1 << 13
/** Damaged text is told from text. */
const CHECKED = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }

/**
 * Writes the table of a map to the file. It streams: beyond the map itself it holds some bytes for each name, each
 * `BLOCK_SEGMENTS` segments and each chunk of text. Throws SourceMapDefect when the mappings break a rule; then, as after
 * any other failure, there is no file.
 */
export function writeMapTable(map: ReadMap, file: string): void {
  const output = createOutput(file)
  try {
    output.append(new Uint8Array(HEADER_BYTES))
    const names = writeNames(output, map.names)
    const blocks = writeBlocks(output, map, names)
    const texts = writeTexts(output, map.sourcesContent)
    const sources = { names: map.sources.map((name) => name ?? ''), ignored: [...map.ignored] }
    const json = Buffer.from(JSON.stringify(sources))
    const { lines, columns, checksums, offsets } = blocks
    const numbers = [lines, columns, checksums, offsets, texts.firstChunks, texts.offsets, texts.lines]
    const index = Buffer.concat([...numbers.map((list) => bytesOf(list.values())), json])
    const header = {
      blocks: blocks.lines.length,
      sources: map.sources.length,
      chunks: texts.lines.length,
      indexOffset: output.size,
      jsonBytes: json.length,
    }
    output.append(index)
    output.finish(encodeHeader(header, index))
  } finally {
    output.discard()
  }
}

function bytesOf(values: Uint32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

/** Returns where each name stands in the file. */
function writeNames(output: Output, names: readonly string[]): Uint32Array {
  const offsets = new Uint32Array(names.length)
  const size = new Uint8Array(VARINT_BYTES)
  for (const [place, name] of names.entries()) {
    offsets[place] = output.size
    const text = Buffer.from(name)
    output.append(size.subarray(0, putVarint(size, 0, text.length)))
    output.append(text)
  }
  return offsets
}

interface Blocks {
  lines: Numbers
  columns: Numbers
  checksums: Numbers
  /** One more than there are blocks: the last is where the last one ends. */
  offsets: Numbers
}

/**
 * Of several segments at one position only the first and the last can be found: the first for the position itself, the
 * last for those after it. Both go to one block.
 */
function writeBlocks(output: Output, map: ReadMap, names: Uint32Array): Blocks {
  const blocks = {
    lines: createNumbers(),
    columns: createNumbers(),
    checksums: createNumbers(),
    offsets: createNumbers(),
  }
  const writer = createBlockWriter()
  const at = { line: -1, column: -1 }
  const segment: Segment = { source: -1, line: 0, column: 0, name: 0 }
  let another = false
  const endPosition = () => {
    if (another) writer.add(at.line, at.column, segment)
    another = false
  }
  const endBlock = () => {
    const bytes = writer.take()
    blocks.checksums.push(crc32(bytes))
    output.append(bytes)
  }
  map.eachMapping((generatedLine, generatedColumn, source, line, column, name) => {
    const samePosition = generatedLine === at.line && generatedColumn === at.column
    if (!samePosition) endPosition()
    at.line = generatedLine
    at.column = generatedColumn
    segment.source = source
    segment.line = line
    segment.column = column
    segment.name = name < 0 ? 0 : (names[name] ?? 0)
    another = samePosition
    if (samePosition) return
    if (writer.segments >= BLOCK_SEGMENTS) endBlock()
    if (writer.segments === 0) {
      blocks.lines.push(generatedLine)
      blocks.columns.push(generatedColumn)
      blocks.offsets.push(output.size)
    }
    writer.add(generatedLine, generatedColumn, segment)
  })
  endPosition()
  if (writer.segments > 0) endBlock()
  blocks.offsets.push(output.size)
  return blocks
}

interface Texts {
  /** Of each source; as the last one the number of chunks. A source without text has no chunk. */
  firstChunks: Numbers
  offsets: Numbers
  lines: Numbers
}

function writeTexts(output: Output, texts: readonly (string | null)[]): Texts {
  const index = { firstChunks: createNumbers(), offsets: createNumbers(), lines: createNumbers() }
  for (const text of texts) {
    index.firstChunks.push(index.lines.length)
    if (text !== null) writeText(output, text, index)
  }
  index.firstChunks.push(index.lines.length)
  index.offsets.push(output.size)
  return index
}

function writeText(output: Output, text: string, index: Texts): void {
  let line = 0
  let start = 0
  do {
    const newline = text.indexOf('\n', start + CHUNK_CHARACTERS)
    const end = newline < 0 ? text.length : newline + 1
    const chunk = text.slice(start, end)
    index.offsets.push(output.size)
    index.lines.push(line)
    output.append(zstdCompressSync(chunk, CHECKED))
    line += newlines(chunk)
    start = end
  } while (start < text.length)
}

function newlines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}
