import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { PassThrough, Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { maxUploadBytes } from '../../contract/sourcemaps.ts'
import type { ListedFile, LocalFiles } from './local-files.ts'
import { TeachingError } from '../result/teach.ts'

/** Maximum unpacked size of a bundle, and maximum number of files in it (contract §11, confirm). */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024
export const MAX_BUNDLE_FILES = 10_000

/** An upload that is ready to be sent; its bytes can be read repeatedly until it is disposed. */
export interface Prepared extends AsyncDisposable {
  sizeBytes: number
  sha256: string
  chunks(): AsyncIterable<Uint8Array>
  /** JavaScript files whose sourceMappingURL comment names a map that is not among the files. */
  unmatched: UnmatchedMap[]
}

export interface UnmatchedMap {
  file: string
  map: string
}

export interface PrepareOptions {
  files: LocalFiles
  signal: AbortSignal
  /** Receives the number of bytes that have been read from the files. */
  onRead: (bytes: number) => void
}

/** Prepares a single file unchanged; reads it once for its checksum. */
export async function prepareFile(file: ListedFile, { files, signal, onRead }: PrepareOptions): Promise<Prepared> {
  const chunks = () => files.chunks(file.absolute, { maxBytes: maxUploadBytes })
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of chunks()) {
    signal.throwIfAborted()
    hash.update(chunk)
    sizeBytes += chunk.byteLength
    onRead(sizeBytes)
  }
  const nothing = () => Promise.resolve()
  return { sizeBytes, sha256: hash.digest('hex'), chunks, unmatched: [], [Symbol.asyncDispose]: nothing }
}

/**
 * Packs the files into one zip in a temporary folder, which disposing removes. The same files give the same bytes,
 * regardless of their times and the time zone, so that a second upload is recognised by its checksum.
 */
export async function prepareBundle(listed: readonly ListedFile[], options: PrepareOptions): Promise<Prepared> {
  const unpacked = listed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  if (unpacked > MAX_UNPACKED_BYTES) throw tooLarge(`the files have ${String(unpacked)} bytes, more than 1 GiB`)
  const folder = await mkdtemp(join(tmpdir(), 'tracegate-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const path = join(folder, 'bundle.zip')
    const hash = createHash('sha256')
    const meter = new Meter((chunk) => hash.update(chunk))
    const zip = await createZip(listed, options)
    await pipeline(zip.stream, meter, createWriteStream(path, { mode: 0o600 }), { signal: options.signal })
    return {
      sizeBytes: meter.bytes,
      sha256: hash.digest('hex'),
      chunks: () => createReadStream(path),
      unmatched: unmatchedMaps(listed, zip.named),
      [Symbol.asyncDispose]: remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Counts the bytes that pass, and ends a bundle that exceeds the upload limit. */
class Meter extends Transform {
  bytes = 0
  readonly #onChunk: (chunk: Buffer) => void

  constructor(onChunk: (chunk: Buffer) => void) {
    super()
    this.#onChunk = onChunk
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: Error | null, chunk?: Buffer) => void): void {
    this.bytes += chunk.byteLength
    this.#onChunk(chunk)
    if (this.bytes > maxUploadBytes) done(tooLarge(`the bundle exceeds ${String(maxUploadBytes)} bytes`))
    else done(null, chunk)
  }
}

/** The zip as a stream, and, once it has ended, the map that each JavaScript file names. */
async function createZip(listed: readonly ListedFile[], { files, onRead }: PrepareOptions) {
  // Loaded on demand, because the server starts faster without it.
  const {
    default: { ZipFile },
  } = await import('yazl')
  const zip = new ZipFile()
  const stream = new PassThrough()
  const named = new Map<string, string>()
  let read = 0
  let current: Readable | undefined
  // An aborted archive must not leave a file open.
  stream.once('close', () => current?.destroy())

  async function* readEntry({ path, absolute }: ListedFile): AsyncGenerator<Uint8Array> {
    let ending = Buffer.alloc(0)
    for await (const chunk of files.chunks(absolute, { maxBytes: MAX_UNPACKED_BYTES })) {
      read += chunk.byteLength
      onRead(read)
      ending = Buffer.concat([ending, chunk.subarray(-ENDING_BYTES)]).subarray(-ENDING_BYTES)
      yield chunk
    }
    const map = path.endsWith('.map') ? undefined : namedMap(ending.toString())
    if (map !== undefined) named.set(path, map)
  }

  for (const file of listed) {
    const entry = {
      // Zip archives store local time: this value is the same in every time zone.
      mtime: new Date(2000, 0, 1, 12),
      forceDosTimestamp: true,
      mode: 0o100644,
    }
    zip.addReadStreamLazy(file.path, entry, (give) => {
      current = Readable.from(readEntry(file), { objectMode: false })
      // yazl does not report a file that cannot be read.
      current.on('error', (error) => stream.destroy(error))
      give(null, current)
    })
  }
  zip.on('error', (error: Error) => stream.destroy(error))
  zip.end()
  // At run time this is a PassThrough of bytes, which the types do not say.
  zip.outputStream.pipe(stream)
  return { stream, named }
}

/** The comment is the last line; a longer comment contains the map itself and needs no file. */
const ENDING_BYTES = 4096
const mapComment = /\/\/[#@]\s*sourceMappingURL=(\S+)/g

function namedMap(ending: string): string | undefined {
  const map = [...ending.matchAll(mapComment)].at(-1)?.[1]
  return map?.startsWith('data:') === true ? undefined : map
}

function unmatchedMaps(listed: readonly ListedFile[], named: ReadonlyMap<string, string>): UnmatchedMap[] {
  const paths = new Set(listed.map(({ path }) => path))
  return [...named].map(([file, map]) => ({ file, map })).filter(({ file, map }) => !paths.has(mapPath(file, map)))
}

/** The path in the folder that a comment refers to. Of a URL only the last segment corresponds to the folder. */
function mapPath(file: string, comment: string): string {
  const [plain = ''] = comment.split(/[?#]/)
  const isAddress = /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(plain)
  return posix.join(posix.dirname(file), decoded(isAddress ? posix.basename(plain) : plain))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function tooLarge(why: string): TeachingError {
  return new TeachingError('payload_too_large', `the source maps are too large: ${why}`, {
    hint: 'upload parts of the folder separately.',
  })
}
