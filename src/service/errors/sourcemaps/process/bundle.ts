import { crc32 } from 'node:zlib'
import { getFileNameLowLevel, openPromise, validateFileName, type Entry, type ZipFile } from 'yauzl'
import { UploadDefect } from './processed.ts'

/** Limits of contract §11. */
const MOST_ENTRIES = 10_000
const MOST_UNPACKED_BYTES = 1024 ** 3
const MOST_RATIO = 200
const LONGEST_NAME_BYTES = 1_000
/** A file is read into memory as a whole. */
const LARGEST_FILE_BYTES = 256 * 1024 ** 2

/** One file of a bundle. */
export interface BundleFile {
  /** Inside the bundle, with `/`. */
  path: string
  sizeBytes: number
  /** The whole file, unpacked. Throws `EntryDefect`. */
  read(): Promise<Buffer>
}

/** One file of a bundle cannot be read; the others can. The message is one sentence without text of the upload. */
export class EntryDefect extends Error {}

/**
 * Opens a zip and passes all of its files to `use`, which reads them sequentially. The names, sizes and flags of all
 * entries are checked before anything is unpacked; what is unpacked is counted again. Throws `UploadDefect`.
 */
export async function withBundle<T>(file: string, use: (files: BundleFile[]) => Promise<T>): Promise<T> {
  const zip = await openZip(file)
  try {
    const entries = await readEntries(zip)
    checkSizes(entries, zip.fileSize)
    const budget = { left: MOST_UNPACKED_BYTES }
    return await use(
      entries.map(({ path, entry }) => ({
        path,
        sizeBytes: entry.uncompressedSize,
        read: () => unpack(zip, entry, budget),
      })),
    )
  } finally {
    zip.close()
  }
}

interface NamedEntry {
  path: string
  entry: Entry
}

async function openZip(file: string): Promise<ZipFile> {
  try {
    // Names are decoded here because yauzl's message about an invalid name contains the name.
    return await openPromise(file, { autoClose: false, decodeStrings: false, validateEntrySizes: true })
  } catch {
    throw new UploadDefect(
      'INVALID_ZIP',
      'The bundle is not a zip file, or its end is missing: pack and upload it again.',
    )
  }
}

async function readEntries(zip: ZipFile): Promise<NamedEntry[]> {
  checkCount(zip.entryCount)
  const entries: NamedEntry[] = []
  const seen = new Set<string>()
  for await (const entry of eachEntry(zip)) {
    checkCount(zip.entriesRead)
    const path = entryName(entry, zip.entriesRead)
    if (entry.isEncrypted()) throw broken(zip.entriesRead, 'is encrypted: pack the bundle without a password')
    if (path.endsWith('/')) continue
    if (/\.zip$/i.test(path)) throw broken(zip.entriesRead, 'is a zip itself: put its files into the bundle directly')
    if (seen.has(path)) throw broken(zip.entriesRead, 'has the name of another one: pack each file once')
    seen.add(path)
    entries.push({ path, entry })
  }
  return entries
}

async function* eachEntry(zip: ZipFile): AsyncGenerator<Entry> {
  const entries = zip.eachEntry()
  for (;;) {
    const next = await entries.next().catch(() => {
      throw broken(zip.entriesRead + 1, 'cannot be read: the directory of the zip is damaged')
    })
    if (next.done === true) return
    yield next.value
  }
}

function checkCount(count: number): void {
  if (count <= MOST_ENTRIES) return
  throw new UploadDefect('ZIP_LIMIT', `The bundle has more than ${MOST_ENTRIES} entries: split it.`)
}

function entryName(entry: Entry, number: number): string {
  const raw = entry.fileNameRaw
  if (raw.byteLength > LONGEST_NAME_BYTES) {
    throw broken(number, `has a name of more than ${LONGEST_NAME_BYTES} bytes: shorten it`)
  }
  const name = getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, true)
  if (validateFileName(name) !== null || /[\p{Cc}]/u.test(name)) {
    throw broken(
      number,
      'has a name that is absolute, leaves the folder with "..", or holds "\\" or control characters',
    )
  }
  return name.replace(/^(?:\.\/+)+/, '')
}

/** The sizes are those of the zip's directory; unpacking stops at the first byte beyond them. */
function checkSizes(entries: readonly NamedEntry[], zipBytes: number): void {
  const unpacked = entries.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0)
  if (unpacked > MOST_UNPACKED_BYTES) {
    throw new UploadDefect('ZIP_LIMIT', `The bundle unpacks to more than ${MOST_UNPACKED_BYTES} bytes: split it.`)
  }
  const isBomb = entries.some(({ entry }) => entry.uncompressedSize > MOST_RATIO * Math.max(1, entry.compressedSize))
  if (isBomb || unpacked > MOST_RATIO * zipBytes) {
    throw new UploadDefect(
      'ZIP_LIMIT',
      `A file of the bundle unpacks to more than ${MOST_RATIO} times its packed size.`,
    )
  }
}

async function unpack(zip: ZipFile, entry: Entry, budget: { left: number }): Promise<Buffer> {
  if (entry.uncompressedSize > LARGEST_FILE_BYTES)
    throw new EntryDefect(`It is larger than ${LARGEST_FILE_BYTES} bytes.`)
  const bytes = await inflate(zip, entry, budget)
  if (bytes.byteLength !== entry.uncompressedSize || crc32(bytes) !== entry.crc32) {
    throw new EntryDefect('It is damaged: its checksum differs from the one in the bundle.')
  }
  return bytes
}

async function inflate(zip: ZipFile, entry: Entry, budget: { left: number }): Promise<Buffer> {
  const chunks: Buffer[] = []
  try {
    const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry)
    for await (const chunk of stream) {
      budget.left -= chunk.byteLength
      if (budget.left < 0) break
      chunks.push(chunk)
    }
  } catch {
    throw new EntryDefect('It cannot be unpacked: it is damaged, or packed by a method other than deflate.')
  }
  if (budget.left >= 0) return Buffer.concat(chunks)
  throw new UploadDefect('ZIP_LIMIT', `The bundle unpacks to more than ${MOST_UNPACKED_BYTES} bytes: split it.`)
}

function broken(number: number, problem: string): UploadDefect {
  return new UploadDefect('INVALID_ZIP', `Entry ${number} of the bundle ${problem}.`)
}
