import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { ConfigError } from '../../config.ts'
import { whyRefused } from '../../lib/files/why-refused.ts'
import { cannotWrite, isOfFile } from '../files/failures.ts'
import { DATABASE, Manifest, MANIFEST } from './manifest.ts'
import { isDataFile } from './data-files.ts'

const MOST_MANIFEST_BYTES = 65_536

/** A backup that is read. */
export interface OpenArchive {
  manifest: Manifest
  /** Names of the files other than the database. */
  names: string[]
  /** Writes a part into a file that only its owner may read, and checks it. */
  extract(name: string, file: string): Promise<void>
  close(): void
}

/** Opens a file of `tracegate backup`. Throws `ConfigError` for any other file, and for one that is not whole. */
export async function openArchive(file: string): Promise<OpenArchive> {
  const zip = await openZip(file)
  try {
    const entries = await readEntries(zip, file)
    const manifest = await readManifest(zip, entries.get(MANIFEST))
    if (manifest === undefined || !entries.has(DATABASE)) throw noBackup(file)
    return {
      manifest,
      names: [...entries.keys()].filter(isDataFile),
      async extract(name, target) {
        const entry = entries.get(name)
        if (entry === undefined) throw noBackup(file)
        await unpack(zip, entry, target).catch((error: unknown) => {
          throw isOfFile(error) ? cannotWrite(target, error) : damaged(file, name, error)
        })
      },
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

async function openZip(file: string): Promise<ZipFile> {
  try {
    return await openPromise(file, { autoClose: false })
  } catch (error) {
    if (!isOfFile(error)) throw noBackup(file, error)
    throw new ConfigError(`${file} cannot be read: ${whyRefused(error, 'it does not exist')}`, { cause: error })
  }
}

async function readEntries(zip: ZipFile, file: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  try {
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
  } catch (error) {
    throw noBackup(file, error)
  }
  return entries
}

async function readManifest(zip: ZipFile, entry: Entry | undefined): Promise<Manifest | undefined> {
  if (entry === undefined || entry.uncompressedSize > MOST_MANIFEST_BYTES) return undefined
  try {
    const text = (await buffer(await zip.openReadStreamPromise(entry))).toString()
    return Manifest.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

async function unpack(zip: ZipFile, entry: Entry, target: string): Promise<void> {
  let sum = 0
  const check = new Transform({
    transform(chunk: Buffer, _, done) {
      sum = crc32(chunk, sum)
      done(null, chunk)
    },
    flush: (done) => done(sum === entry.crc32 ? null : new Error('its checksum differs')),
  })
  const from = await zip.openReadStreamPromise(entry)
  await pipeline(from, check, createWriteStream(target, { mode: 0o600, flush: true }))
}

function damaged(file: string, name: string, cause: unknown): ConfigError {
  return new ConfigError(`${file} is damaged at ${name}: use another backup`, { cause })
}

function noBackup(file: string, cause?: unknown): ConfigError {
  return new ConfigError(`${file} is not a file that tracegate backup wrote, or its end is missing`, { cause })
}
