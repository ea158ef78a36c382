import { crc32 } from 'node:zlib'

/**
 * The file of a map table, in this order; numbers are little-endian, offsets count from the begin of the file:
 *
 * - header of `HEADER_BYTES`;
 * - names: each a varint, its length in bytes, and its UTF-8;
 * - blocks of at most `BLOCK_SEGMENTS` segments, each readable without the others (see segments.ts);
 * - texts of the sources in chunks that end with a line, zstd-compressed one by one;
 * - index: as 32-bit numbers the first line, first column and checksum of each block; the begin of each block and the end
 *   of the last; the number of each source's first chunk and that of all chunks; the begin of each chunk and the end of the last;
 *   the first line of each chunk. Then as JSON the names of the sources and the indices of those to ignore.
 */
export interface Header {
  blocks: number
  sources: number
  chunks: number
  indexOffset: number
  jsonBytes: number
}

export const HEADER_BYTES = 48
/** About what a lookup decodes in a microsecond; the index costs 16 bytes for each such block. */
export const BLOCK_SEGMENTS = 144
/** No offset of a table is larger: they are 32-bit. */
export const LARGEST_FILE = 2 ** 32 - 1

const MAGIC = Buffer.from('tgmaptab')
/** Raised whenever a reader of the old form would misread the new one. */
const FORMAT = 2
const CHECKED_BYTES = 40

/** Bytes from the begin of the index to the end of the file. */
export function indexBytes({ blocks, sources, chunks, jsonBytes }: Header): number {
  return 4 * (4 * blocks + 1 + (sources + 1) + (2 * chunks + 1)) + jsonBytes
}

/** The header, with the checksum of itself and of the index. */
export function encodeHeader(header: Header, index: Uint8Array): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES)
  MAGIC.copy(bytes)
  const fields = [FORMAT, header.blocks, header.sources, header.chunks, header.indexOffset, header.jsonBytes]
  for (const [place, value] of fields.entries()) bytes.writeUInt32LE(value, MAGIC.length + 4 * place)
  bytes.writeUInt32LE(checksum(bytes, index), CHECKED_BYTES)
  return bytes
}

/** Reads a header. Throws an Error that says so when the file is no map table or one of another format. */
export function decodeHeader(bytes: Buffer, fileBytes: number): Header {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('is no map table')
  const [format = 0, blocks = 0, sources = 0, chunks = 0, indexOffset = 0, jsonBytes = 0] = Array.from(
    { length: 6 },
    (_, place) => bytes.readUInt32LE(MAGIC.length + 4 * place),
  )
  if (format !== FORMAT) throw new Error(`is a map table of format ${format}, not ${FORMAT}`)
  const header = { blocks, sources, chunks, indexOffset, jsonBytes }
  const expected = indexOffset + indexBytes(header)
  if (fileBytes !== expected) throw new Error(`has ${fileBytes} bytes instead of ${expected}`)
  return header
}

/** Throws an Error unless header and index are as they were written. */
export function checkIndex(header: Buffer, index: Uint8Array): void {
  if (header.readUInt32LE(CHECKED_BYTES) !== checksum(header, index)) throw new Error('has a damaged index')
}

function checksum(header: Buffer, index: Uint8Array): number {
  return crc32(index, crc32(header.subarray(0, CHECKED_BYTES)))
}
