import { createWriteStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'

/** The fastest: bodies of events are packed already. */
const LEVEL = 1

/** A zip that is written. */
export interface Archive {
  /** Resolves when the file has been read, to false if it is gone. */
  addFile(path: string, name: string): Promise<boolean>
  addText(text: string, name: string): void
  /** Resolves when the zip is on the disk. */
  end(): Promise<void>
}

/** Begins a zip in a new file that only its owner may read. Aborting the signal makes what is under way reject. */
export function createArchive(file: string, signal: AbortSignal): Archive {
  const zip = new ZipFile()
  const output = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
  const written = pipeline(zip.outputStream, output, { signal })
  const failed = new Promise<never>((_, reject) => zip.on('error', reject))
  // Reported by the call that waits for them.
  written.catch(() => {})
  failed.catch(() => {})
  const unlessFailed = <T>(work: Promise<T>) => Promise.race([work, failed, written.then(() => work)])
  return {
    async addFile(path, name) {
      const handle = await openIfThere(path)
      if (handle === undefined) return false
      const { size } = await handle.stat()
      const stream = handle.createReadStream()
      zip.addReadStream(stream, name, { size, compressionLevel: LEVEL, mode: 0o100600 })
      await unlessFailed(finished(stream, { signal }))
      return true
    },
    addText: (text, name) => zip.addBuffer(Buffer.from(text), name, { mode: 0o100600 }),
    async end() {
      zip.end()
      await Promise.race([written, failed])
    },
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
