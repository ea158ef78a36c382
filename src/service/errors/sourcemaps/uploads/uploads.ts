import type { Send } from '../../../../contract/base/wire.ts'
import type { Handler, Platform } from '../../../shared/context.ts'
import type { Database } from '../../../sql/database.ts'
import type { FileStore } from '../files/file-store.ts'
import { createTableFetcher } from '../files/fetch-tables.ts'
import { createSourceMapWorker, type SourceMapWorkerLimits } from '../process/worker.ts'
import { createConfirms } from './confirm.ts'
import { createUpload, tablesToReuse } from './create.ts'
import { expireUploads } from './expiry.ts'
import { sourceMapFolders } from './folders.ts'
import { createReceiver } from './receive.ts'
import { noteUsed, removeUnused, type KeptLimits } from './retention.ts'

/** Numbers that tests make small. */
export interface UploadLimits extends SourceMapWorkerLimits {
  idleMs?: number
  unconfirmedBytes?: number
  /** Of a product. */
  kept?: KeptLimits
}

export interface UploadsOptions {
  db: Database
  platform: Platform
  dataDir: string
  /** Holds the files of uploads and their tables for all processes; undefined when this one alone has them. */
  files: FileStore | undefined
  /** Key of the addresses' signatures. */
  secret: string
  /**
   * Called when artifacts were added to a product; updates the issues that they apply to and resolves to their number.
   */
  onIndexed: (added: { productId: number; release: string; debugIds: string[] }) => Promise<number>
  /** Ids of the uploads that mapped frames since it was last called. */
  takeUsed: () => string[]
  /** Called after uploads of a product were removed. */
  onRemoved: (productId: number) => void
  /** Called with failures of follow-up work, which do not fail a call. */
  onError: (error: unknown) => void
  /** The module of the thread that reads uploads. */
  workerEntry: () => Promise<URL>
  limits?: UploadLimits | undefined
}

/** Uploads of source maps, from the creation to the tables that frames are looked up in (contract §11). */
export interface Uploads {
  create: Handler<'createSourceMap'>
  /** Handles a PUT under `/uploads`; rejects with `ServiceError`. */
  receive: Send
  confirm: Handler<'confirmSourceMap'>
  /** Expires uploads that were not confirmed; `signal` ends the run after its current step. */
  expire(signal: AbortSignal): Promise<number>
  /** Removes uploads that are not used, and beyond the limits; the same. */
  removeUnused(signal: AbortSignal): Promise<number>
  /** Aborts reading and waits for the rest. */
  close(): Promise<void>
}

export function createUploads(options: UploadsOptions): Uploads {
  const { db, platform, files, secret, onIndexed, onError, limits = {} } = options
  const folders = sourceMapFolders(options.dataDir)
  const fetchTables = files && createTableFetcher(files, folders.tables)
  const worker = createSourceMapWorker({
    entry: options.workerEntry,
    heapMb: limits.heapMb,
    deadlineMs: limits.deadlineMs,
  })
  const { idleMs, unconfirmedBytes } = limits
  const confirms = createConfirms({
    db,
    platform,
    folders,
    files,
    worker,
    kept: limits.kept,
    async resymbolicate({ product_id: productId, release }, debugIds) {
      try {
        return await onIndexed({ productId, release, debugIds })
      } catch (thrown) {
        onError(thrown)
        return null
      }
    },
  })
  return {
    async create(input, call) {
      const { tables } = folders
      await fetchTables?.(await tablesToReuse(call.db.read, call.principal, input))
      const created = await call.db.write((rows, prepare) =>
        createUpload({ rows, prepare, call, secret, tables }, input),
      )
      // Not awaited: the answer has no member for the number of issues.
      if (created.indexed && !call.validateOnly) void confirms.finish(created.upload).catch(onError)
      return created.response
    },
    receive: createReceiver({ db, platform, folders, files, secret, idleMs, unconfirmedBytes }),
    confirm: (input, call) => confirms.confirm(input, call),
    expire: (signal) => expireUploads({ db, platform, folders, files }, signal),
    async removeUnused(signal) {
      await noteUsed(db, options.takeUsed(), platform.now())
      const { tables } = folders
      return removeUnused(
        { db, now: platform.now(), tables, files, limits: limits.kept, onRemoved: options.onRemoved },
        signal,
      )
    },
    async close() {
      // A use that is not noted costs at most a map that could have stayed.
      await noteUsed(db, options.takeUsed(), platform.now()).catch(onError)
      await worker.close()
      await confirms.settled()
    },
  }
}
