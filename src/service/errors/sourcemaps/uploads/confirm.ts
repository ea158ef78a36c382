import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Selectable } from 'kysely'
import type { InputOf, ResponseOf } from '../../../../contract/index.ts'
import { createTurns } from '../../../../lib/in-turn.ts'
import { audit } from '../../../workspace/audit.ts'
import type { Call, Handler, Platform } from '../../../shared/context.ts'
import { parseRepositoryRoots } from '../../../workspace/components/repo-path.ts'
import type { Database } from '../../../sql/database.ts'
import type { ProductRow } from '../../../sql/schema.ts'
import type { FileStore, LocalFile } from '../files/file-store.ts'
import type { SourceMapWorker } from '../process/worker.ts'
import { claimUpload } from './claim.ts'
import { checkBytes, expired, invalidSourceMap, missing } from './failures.ts'
import { stagingFolder, type SourceMapFolders } from './folders.ts'
import type { Processed, UploadJob } from '../process/processed.ts'
import { recordArtifacts } from './record-artifacts.ts'
import { limitsWarning, type KeptLimits } from './retention.ts'
import { readOutcome, requireUpload, viewUpload, type StoredUpload } from './stored.ts'
import type { State } from './states.ts'
import { vouchForRelease } from './vouch.ts'

export interface ConfirmOptions {
  /** Not the caller's: the work of one confirm serves all callers, whatever their request ids. */
  db: Database
  platform: Platform
  folders: SourceMapFolders
  /** Holds the bytes of uploads and gets their tables, if several processes share them. */
  files: FileStore | undefined
  worker: SourceMapWorker
  /** Smaller in tests. */
  kept?: KeptLimits | undefined
  /** Updates the issues that an upload applies to once it is READY; resolves to their number, or null on failure. */
  resymbolicate: (upload: StoredUpload, debugIds: string[]) => Promise<number | null>
}

export interface Confirms {
  /**
   * Checks and indexes what was uploaded (contract §11). Confirming again gives the same answer; of two concurrent
   * confirms the second waits for the first. Rejects with `not_found`, `failed_precondition` (`UPLOAD_MISSING`),
   * `invalid_argument` (`CHECKSUM_MISMATCH`, `INVALID_SOURCE_MAP`), and `unavailable` while another process is
   * confirming it.
   */
  confirm: Handler<'confirmSourceMap'>
  /** Completes an upload that is READY without a confirm: updates the issues that it applies to. */
  finish(upload: StoredUpload): Promise<void>
  /** Resolves when no confirm is running. */
  settled(): Promise<void>
}

/** Confirms of one upload run sequentially. */
export function createConfirms(options: ConfirmOptions): Confirms {
  const turns = createTurns<string>()

  return {
    confirm: (input, call) => turns.run(input.id, () => attempt(options, input, call)),
    async finish(upload) {
      await turns.run(upload.id, () => finish(options, upload))
    },
    settled: () => turns.settled(),
  }
}

type AnnouncedBytes = Pick<InputOf<'confirmSourceMap'>, 'sha256' | 'size_bytes'>

async function attempt(options: ConfirmOptions, input: InputOf<'confirmSourceMap'>, call: Call) {
  const { db } = options
  const { upload, product } = await requireUpload(db.read, call.principal, input.id)
  const state = upload.state as State
  if (state === 'SOURCEMAP_STATE_EXPIRED') throw expired(upload)
  if (state === 'SOURCEMAP_STATE_FAILED') throw invalidSourceMap(upload)
  if (state !== 'SOURCEMAP_STATE_READY') return work(options, { upload, product, given: input, call })
  checkBytes(upload, input)
  const { resymbolicated_issues: known } = readOutcome(upload)
  return known === null ? finish(options, upload) : answer(options, upload, known)
}

interface ConfirmWork {
  upload: StoredUpload
  product: Selectable<ProductRow>
  given: AnnouncedBytes
  call: Call
}

async function work(options: ConfirmOptions, { upload, product, given, call }: ConfirmWork) {
  const { db, platform, folders, files, worker } = options
  const bytes = { name: upload.id, file: join(folders.uploads, upload.id) }
  // Before the claim, which would refuse bytes that are being received.
  if (!(await wasSent(bytes, files))) throw missing(upload)
  const claim = await claimUpload({ db, platform }, upload)
  try {
    // Also where this process has received some: another one may have received others since.
    if (files !== undefined && !(await files.fetch('uploads', bytes))) throw missing(upload)
    const received = await readBytes(bytes.file)
    checkBytes(received, upload)
    checkBytes(received, given)
    const processed = await worker.process(uploadJob(upload, product, bytes.file, folders))
    await files?.add('sourcemaps', tableFiles(folders, processed))
    // Even if nothing was found: an interrupted attempt may have recorded artifacts of other bytes.
    await recordArtifacts(db, upload, processed)
    const settled = await settle(db, call, { ...upload, ...received }, processed)
    await removeBytes(bytes, files)
    if (processed.error !== null) throw invalidSourceMap(settled)
    return await finish(options, settled)
  } catch (thrown) {
    // Before others may confirm, who may use the same folder.
    if (files !== undefined) await removeLocal(bytes)
    // A claim that cannot be released expires, and another confirm can follow.
    await claim.release().catch(() => undefined)
    throw thrown
  } finally {
    claim.stop()
  }
}

function wasSent({ name, file }: LocalFile, files: FileStore | undefined): Promise<boolean> {
  return files === undefined ? exists(file) : files.has('uploads', name)
}

/** What cannot be removed now is removed with the leftovers. */
async function removeBytes(bytes: LocalFile, files: FileStore | undefined): Promise<void> {
  await removeLocal(bytes)
  await files?.remove('uploads', [bytes.name]).catch(() => undefined)
}

async function removeLocal({ file }: LocalFile): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined)
}

/** Those of the upload's artifacts, also if an earlier upload has written them. */
function tableFiles({ tables }: SourceMapFolders, { artifacts }: Processed): LocalFile[] {
  const names = new Set(artifacts.map(({ content }) => content).filter((content) => content !== ''))
  return [...names].map((name) => ({ name, file: join(tables, name) }))
}

function uploadJob(
  upload: StoredUpload,
  product: Selectable<ProductRow>,
  file: string,
  folders: SourceMapFolders,
): UploadJob {
  return {
    file,
    artifact: upload.artifact,
    fileName: upload.file_name,
    urlPrefix: upload.url_prefix,
    debugId: upload.debug_id,
    hasRelease: upload.release !== '',
    roots: parseRepositoryRoots(product.repository),
    tables: folders.tables,
    staging: stagingFolder(folders, upload.id),
  }
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined
}

/** Size and SHA-256 of a file. */
async function readBytes(file: string): Promise<{ size_bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  const chunks: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: 256 * 1024 })
  for await (const chunk of chunks) {
    size += chunk.byteLength
    hash.update(chunk)
  }
  return { size_bytes: size, sha256: hash.digest('hex') }
}

/** Stores the outcome. */
async function settle(
  db: Database,
  call: Call,
  { id, size_bytes, sha256, ...before }: StoredUpload,
  { files, error }: Processed,
): Promise<StoredUpload> {
  return db.write(async (rows) => {
    const after = await rows
      .updateTable('sourcemap')
      .set({
        state: (error === null ? 'SOURCEMAP_STATE_READY' : 'SOURCEMAP_STATE_FAILED') satisfies State,
        size_bytes,
        sha256,
        files: JSON.stringify({ files, resymbolicated_issues: null }),
        error: error === null ? null : JSON.stringify(error),
        confirmed_at: call.now(),
        expires_at: null,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await audit(rows, call, { verb: 'update', resourceType: 'sourcemap', resourceId: id, before, after })
    if (error === null) await vouchForRelease(rows, call, after)
    return after
  })
}

/** Updates the issues that a READY upload applies to; repeated by the next confirm if it fails. */
async function finish(options: ConfirmOptions, upload: StoredUpload) {
  const { db, resymbolicate } = options
  const outcome = readOutcome(upload)
  const debugIds = new Set(outcome.files.map(({ debug_id: id }) => id).filter((id) => id !== ''))
  const issues = await resymbolicate(upload, [...debugIds])
  const files = JSON.stringify({ ...outcome, resymbolicated_issues: issues })
  await db.write((rows) => rows.updateTable('sourcemap').set({ files }).where('id', '=', upload.id).execute())
  return answer(options, upload, issues ?? 0)
}

async function answer(
  { db, kept }: Pick<ConfirmOptions, 'db' | 'kept'>,
  upload: StoredUpload,
  issues: number,
): Promise<ResponseOf<'confirmSourceMap'>> {
  return {
    sourcemap: await viewUpload(db.read, upload),
    resymbolicated_issues: issues,
    limits_warning: await limitsWarning(db.read, upload.product_id, kept),
  }
}
