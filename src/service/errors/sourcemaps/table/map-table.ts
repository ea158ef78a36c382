import type { ReadMap } from '../format/read.ts'
import { lastAtOrBefore } from './blocks.ts'
import { cachePieces, openPieces, writePieces } from './pieces.ts'
import { createBlockWriter, decodeBlock, findInBlock } from './segments.ts'
import { decodeLines, readLines, writeText, type StoredText } from './texts.ts'

/** Raised whenever a reader of the old form would misread the new one. */
const FORMAT = 'map 3'

/** Index of a table. Its first pieces are the blocks of segments. */
interface Contents {
  /** Generated lines and columns at which the blocks begin. */
  lines: number[]
  columns: number[]
  sources: { name: string; ignored: boolean }[]
  /** Of each source; null when the map does not hold it. */
  texts: (StoredText | null)[]
  /** A line for each name, as JSON: a name may hold line ends. */
  names: StoredText
}

/** Where a position of the generated code comes from; 0-based. */
export interface Mapping {
  /** −1: this code has no source; then the other members mean nothing. */
  source: number
  line: number
  column: number
  /** Its name in the original, '' when the map does not give one. */
  name: string
}

/** A map on disk; only its index is in memory. Every method throws an Error after `close()`. */
export interface MapTable {
  /**
   * The last mapping at or before the position on its generated line, undefined when there is none. Of several at exactly
   * the position it is the first, as other readers of source maps answer.
   */
  find(line: number, column: number): Mapping | undefined
  /** Names as the map has them, with `sourceRoot`; '' where it has null. */
  readonly sources: readonly { name: string; ignored: boolean }[]
  /**
   * The lines of a source from `first` up to but without `end`, 0-based, without their ends; fewer when the text has
   * fewer. Reads only the part of the text they are in. Undefined when the map does not hold the text.
   */
  lines(source: number, first: number, end: number): string[] | undefined
  /** Forgets what was read last, which it keeps because lookups come close together. */
  rest(): void
  /** Approximate bytes of memory at rest. */
  readonly bytes: number
  close(): void
}

/**
 * Writes the table of a map to the file. It streams: in addition to the map it holds some bytes for each block of
 * segments and each piece of text. Throws SourceMapDefect when the mappings break a rule; then, as after any other
 * failure, there is no file.
 */
export function writeMapTable(map: ReadMap, file: string): void {
  writePieces(file, FORMAT, (add): Contents => {
    const lines: number[] = []
    const columns: number[] = []
    const blocks = createBlockWriter((block, line, column) => {
      add(block)
      lines.push(line)
      columns.push(column)
    })
    map.eachMapping(blocks.add)
    blocks.finish()
    return {
      lines,
      columns,
      sources: map.sources.map((name, source) => ({ name: name ?? '', ignored: map.ignored.has(source) })),
      texts: map.sourcesContent.map((text) => (text === null ? null : writeText(text, add))),
      names: writeText(map.names.map(toRow).join('\n'), add),
    }
  })
}

/** A name as JSON without any line end: of those of JavaScript, JSON itself escapes two. */
function toRow(name: string): string {
  return JSON.stringify(name).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

/**
 * Opens a table by reading its index. Throws an Error that names the file when it is cut off, damaged, of another format
 * or not a table at all.
 */
export function openMapTable(file: string): MapTable {
  const pieces = openPieces<Contents>(file, FORMAT)
  const { sources, texts, names, ...starts } = pieces.contents
  const blocks = cachePieces(pieces, decodeBlock)
  const lines = cachePieces(pieces, decodeLines)
  const rest = () => {
    blocks.clear()
    lines.clear()
  }
  return {
    find(line, column) {
      const block = lastAtOrBefore(starts, line, column)
      const found = block < 0 ? undefined : findInBlock(blocks.get(block), line, column)
      if (found === undefined) return undefined
      const [name = '""'] = found.name < 0 ? [] : readLines(names, lines, found.name, found.name + 1)
      return { ...found, name: JSON.parse(name) as string }
    },
    sources,
    lines(source, first, end) {
      const text = texts[source]
      return text ? readLines(text, lines, first, end) : undefined
    },
    rest,
    bytes: pieces.bytes,
    close() {
      rest()
      pieces.close()
    },
  }
}
