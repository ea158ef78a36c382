import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/*
 * A file of pieces that can be read one by one: the pieces, each compressed with zstd; an index of them as JSON,
 * compressed as well; and a footer of FOOTER_BYTES with MAGIC, the checksum of the compressed index (32 bits,
 * little-endian) and its offset (48 bits).
 */
const MAGIC = Buffer.from('tgpieces')
const FOOTER_BYTES = MAGIC.length + 4 + 6

/** Decoded pieces that one cache keeps. */
const MOST_KEPT = 8
/** Pieces above this size come only from texts with a very long line. Fewer of them are kept, to bound the memory. */
const LARGE_BYTES = 1 << 20
const MOST_LARGE_KEPT = 2

interface Index<Contents> {
  format: string
  /** Offset of each piece, and the end of the last. */
  offsets: number[]
  checksums: number[]
  contents: Contents
}

/** An open file of pieces; only its index is in memory. */
export interface PieceFile<Contents> {
  readonly contents: Contents
  /** Reads one piece. Throws an Error when it is damaged or the file is closed. */
  read(piece: number): Buffer
  /** Approximate bytes of memory that the open file takes. */
  readonly bytes: number
  /** Closes the file; does nothing when it is closed already. */
  close(): void
}

/**
 * Writes a file of pieces. `write` adds the pieces, numbered from 0, and returns what the index says about them: plain
 * JSON data. The file appears under its name only when it is complete; when `write` throws, there is none.
 */
export function writePieces(file: string, format: string, write: (add: (piece: Uint8Array) => number) => object): void {
  const part = `${file}.part`
  const descriptor = openSync(part, 'w')
  const index: Index<object> = { format, offsets: [0], checksums: [], contents: {} }
  let size = 0
  const append = (bytes: Uint8Array) => {
    // A single write may take only a part of the bytes.
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done)
    size += bytes.length
  }
  try {
    index.contents = write((piece) => {
      const compressed = zstdCompressSync(piece)
      append(compressed)
      index.offsets.push(size)
      return index.checksums.push(crc32(compressed)) - 1
    })
    const compressed = zstdCompressSync(JSON.stringify(index))
    const footer = Buffer.alloc(FOOTER_BYTES)
    MAGIC.copy(footer)
    footer.writeUInt32LE(crc32(compressed), MAGIC.length)
    footer.writeUIntLE(size, MAGIC.length + 4, 6)
    append(compressed)
    append(footer)
    renameSync(part, file)
  } finally {
    closeSync(descriptor)
    rmSync(part, { force: true })
  }
}

/**
 * Opens a file that `writePieces` wrote in the same format. Throws an Error that names the file when it is cut off,
 * damaged, of another format or not a table at all.
 */
export function openPieces<Contents>(file: string, format: string): PieceFile<Contents> {
  const descriptor = openSync(file, 'r')
  try {
    const { index, bytes } = readIndex<Contents>(descriptor, format)
    return pieceFile(descriptor, index, bytes)
  } catch (error) {
    closeSync(descriptor)
    if (!(error instanceof Error)) throw error
    throw new Error(`${basename(file)} ${error.message}`, { cause: error })
  }
}

function readIndex<Contents>(descriptor: number, format: string) {
  const footerAt = fstatSync(descriptor).size - FOOTER_BYTES
  const footer = readBytes(descriptor, Math.max(0, footerAt), FOOTER_BYTES)
  if (footerAt < 0 || !footer.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('is not a table')
  const offset = footer.readUIntLE(MAGIC.length + 4, 6)
  if (offset > footerAt) throw new Error('is damaged')
  const json = decompress(readBytes(descriptor, offset, footerAt - offset), footer.readUInt32LE(MAGIC.length))
  // The checksum says that the file is ours, and the format who wrote it.
  const index = JSON.parse(json.toString()) as Index<Contents>
  if (index.format !== format) throw new Error(`is a table of format ${index.format}, not ${format}`)
  return { index, bytes: 2 * json.length }
}

function pieceFile<Contents>(
  descriptor: number,
  { offsets, checksums, contents }: Index<Contents>,
  bytes: number,
): PieceFile<Contents> {
  let open = true
  return {
    contents,
    bytes,
    read(piece) {
      // The descriptor of a closed file may already belong to another one.
      if (!open) throw new Error('the table is closed')
      const [from = 0, to = 0] = offsets.slice(piece, piece + 2)
      return decompress(readBytes(descriptor, from, to - from), checksums[piece])
    },
    close() {
      if (open) closeSync(descriptor)
      open = false
    },
  }
}

function decompress(bytes: Buffer, checksum: number | undefined): Buffer {
  if (crc32(bytes) !== checksum) throw new Error('is damaged')
  return zstdDecompressSync(bytes)
}

function readBytes(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  for (let done = 0; done < length;) {
    const count = readSync(descriptor, bytes, done, length - done, position + done)
    if (count === 0) throw new Error('is not a table: it ends too early')
    done += count
  }
  return bytes
}

/** Decoded pieces of a file; the last few are kept until `clear`. */
export interface PieceCache<T> {
  get(piece: number): T
  /** Forgets all pieces. */
  clear(): void
}

/** A cache of the pieces of a file, each decoded by `decode`. */
export function cachePieces<T>(file: PieceFile<unknown>, decode: (bytes: Buffer) => T): PieceCache<T> {
  const small = new Map<number, T>()
  // A frame reads its line several times, and the next frame may be on it as well.
  const large = new Map<number, T>()
  return {
    get(piece) {
      const known = small.get(piece) ?? large.get(piece)
      if (known !== undefined) return known
      const bytes = file.read(piece)
      const decoded = decode(bytes)
      const [kept, most] = bytes.length > LARGE_BYTES ? [large, MOST_LARGE_KEPT] : [small, MOST_KEPT]
      const [oldest] = kept.keys()
      if (oldest !== undefined && kept.size >= most) kept.delete(oldest)
      kept.set(piece, decoded)
      return decoded
    },
    clear() {
      small.clear()
      large.clear()
    },
  }
}
