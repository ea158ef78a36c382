import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Send, WireRequest } from '../../../../contract/base/wire.ts'
import { maxUploadBytes } from '../../../../contract/sourcemaps.ts'
import { notFound, ServiceError } from '../../../../errors.ts'
import type { Platform } from '../../../shared/context.ts'
import { splitAddress } from '../../../shared/split-address.ts'
import type { Database, Rows } from '../../../sql/database.ts'
import type { FileStore } from '../files/file-store.ts'
import { checkAddress } from './address.ts'
import { bodyChunks } from './chunks.ts'
import type { SourceMapFolders } from './folders.ts'
import { alreadyConfirmed, openStates } from './states.ts'

/** Each keeps a file open; a CI job sends one at a time. */
const MOST_AT_ONCE = 4
/** Limit for unconfirmed bytes on disk plus those being received. */
const MOST_UNCONFIRMED_BYTES = 2 * 1024 ** 3

export interface ReceiverOptions {
  db: Database
  platform: Platform
  folders: SourceMapFolders
  /** Where uploads wait for their confirm in place of the folder, if other processes may confirm them. */
  files: FileStore | undefined
  secret: string
  /** Longest wait for the next bytes, in milliseconds. */
  idleMs?: number | undefined
  /** Limit for unconfirmed bytes on disk. */
  unconfirmedBytes?: number | undefined
}

/**
 * Receives the bytes of an upload at its presigned address (contract §11, step 2) and writes them straight to disk, and
 * from there to the database where it holds files, completely or not at all. The reply's ETag is their SHA-256. Rejects
 * with `permission_denied` for an address that is not ours or has expired, `not_found`, `aborted` after the confirm,
 * `payload_too_large`, `invalid_argument` for a body that is cut off, and `resource_exhausted` when four others are
 * running or two gibibytes are unconfirmed.
 */
export function createReceiver(options: ReceiverOptions): Send {
  const { db, platform, folders, files, secret } = options
  const admit = createAdmission({ folders, files }, options.unconfirmedBytes ?? MOST_UNCONFIRMED_BYTES)

  return async function receive(request) {
    const { path, query } = splitAddress(request.url)
    const id = /^\/uploads\/([\w-]{1,64})$/.exec(path)?.[1]
    if (id === undefined) throw new ServiceError('not_found', 'no such path; create an upload first')
    if (request.method !== 'PUT') throw onlyPut()
    const upload = await db.read
      .selectFrom('sourcemap')
      .select(['state', 'sha256'])
      .where('id', '=', id)
      .executeTakeFirst()
    const announced = ['', ...(upload === undefined ? [] : [upload.sha256])]
    const max = checkAddress(secret, { id, query, announced, now: platform.now() })
    if (upload === undefined) throw notFound('source map', id, 'create the upload again')
    if (!openStates.some((state) => state === upload.state)) throw alreadyConfirmed(id)
    const length = announcedLength(request, max)

    await mkdir(folders.uploads, { recursive: true, mode: 0o700 })
    const part = `${id}.${randomBytes(8).toString('hex')}.part`
    const done = await admit(part, length ?? max)
    try {
      const sha256 = await store(request, join(folders.uploads, part), { max, length, idleMs: options.idleMs })
      await keep(options, id, join(folders.uploads, part))
      return { status: 200, headers: { etag: `"${sha256}"`, 'cache-control': 'no-store' }, body: '' }
    } finally {
      done()
      await rm(join(folders.uploads, part), { force: true })
    }
  }
}

/**
 * Admits few uploads at a time, and none that may fill the disk. Call the returned function at the end of the upload. What
 * waits in the database counts for all processes; what is being received, for this one.
 */
function createAdmission({ folders, files }: Pick<ReceiverOptions, 'folders' | 'files'>, mostBytes: number) {
  const underWay = new Map<string, number>()
  return async function admit(part: string, bytes: number): Promise<() => void> {
    if (underWay.size >= MOST_AT_ONCE) throw full('other uploads are running', 5)
    underWay.set(part, bytes)
    try {
      const reserved = [...underWay.values()].reduce((sum, size) => sum + size, 0)
      // The whole length of running uploads is reserved; their partial files would count twice.
      const local = await bytesIn(folders.uploads, (name) => !underWay.has(name))
      const held = local + ((await files?.heldBytes('uploads')) ?? 0)
      if (held + reserved > mostBytes) throw full('too many uploads are unconfirmed', 60)
    } catch (thrown) {
      underWay.delete(part)
      throw thrown
    }
    return () => void underWay.delete(part)
  }
}

async function bytesIn(folder: string, counts: (name: string) => boolean): Promise<number> {
  let bytes = 0
  for (const name of (await readdir(folder)).filter(counts)) {
    // It is gone if it was confirmed meanwhile.
    bytes += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0
  }
  return bytes
}

/** Writes the body to a new file, which is on disk when the promise resolves, and resolves to its SHA-256. */
async function store(
  request: WireRequest,
  file: string,
  { max, length, idleMs }: { max: number; length: number | undefined; idleMs: number | undefined },
): Promise<string> {
  const hash = createHash('sha256')
  const handle = await open(file, 'wx', 0o600)
  let bytes = 0
  try {
    for await (const chunk of bodyChunks(request.body, idleMs)) {
      bytes += chunk.byteLength
      if (bytes > max) throw tooLarge(max)
      hash.update(chunk)
      await writeAll(handle, chunk)
    }
    if (length !== undefined && bytes !== length) throw cutOff()
    await handle.sync()
  } catch (thrown) {
    throw isFullDisk(thrown) ? diskFull(thrown) : thrown
  } finally {
    await handle.close()
  }
  return hash.digest('hex')
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength;) {
    offset += (await handle.write(chunk, offset)).bytesWritten
  }
}

/** Inside a transaction, so that no confirm begins between the check of the state and the rename. */
async function keep({ db, folders, files }: ReceiverOptions, id: string, part: string): Promise<void> {
  if (files !== undefined) return files.replace('uploads', { name: id, file: part }, (rows) => markUploaded(rows, id))
  await db.write(async (rows) => {
    await markUploaded(rows, id)
    await rename(part, join(folders.uploads, id))
  })
}

async function markUploaded(rows: Rows, id: string): Promise<void> {
  const { numUpdatedRows } = await rows
    .updateTable('sourcemap')
    .set({ state: 'SOURCEMAP_STATE_UPLOADED' })
    .where('id', '=', id)
    .where('state', 'in', openStates)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw alreadyConfirmed(id)
}

/** From the header, undefined for a chunked body; refuses a length over the limit before anything is read. */
function announcedLength({ headers }: WireRequest, max: number): number | undefined {
  const text = headers['content-length']
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined
  if (Number(text) > max) throw tooLarge(max)
  return Number(text)
}

function isFullDisk(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return code === 'ENOSPC' || code === 'EDQUOT'
}

function diskFull(cause: unknown): ServiceError {
  return new ServiceError('unavailable', 'the disk of the service is full; make room, then repeat', { cause })
}

function cutOff(): ServiceError {
  return new ServiceError('invalid_argument', 'the body ended early; send it again', { reason: 'BODY_INCOMPLETE' })
}

function tooLarge(max: number): ServiceError {
  const isLimit = max === maxUploadBytes
  const message = isLimit
    ? `the upload is over the limit of ${max} bytes; split the bundle`
    : `the upload is larger than the ${max} bytes it was created with; create it again with its size`
  return new ServiceError('payload_too_large', message, {
    metadata: { limit_bytes: String(max) },
  })
}

function full(problem: string, retryAfterSeconds: number): ServiceError {
  const message = `${problem}; repeat in ${retryAfterSeconds} s`
  return new ServiceError('resource_exhausted', message, { reason: 'UPLOADS_FULL', retryAfterSeconds })
}

function onlyPut(): ServiceError {
  return new ServiceError('unimplemented', 'this path only supports PUT', { reason: 'METHOD_NOT_ALLOWED' })
}
