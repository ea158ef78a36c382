import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Platform } from '../../../shared/context.ts'
import type { Database, Rows } from '../../../sql/database.ts'
import { hourMs } from '../../../shared/times.ts'
import type { FileStore } from '../files/file-store.ts'
import { unclaimed } from './claim.ts'
import type { SourceMapFolders } from './folders.ts'
import { unconfirmedMs, type State } from './states.ts'

/** Uploads per transaction. */
const STEP = 200

export interface Expiring {
  db: Database
  platform: Platform
  folders: SourceMapFolders
  files?: FileStore | undefined
}

/**
 * Expires uploads that were not confirmed in time, including those whose confirm died, and removes their bytes as well
 * as leftovers of interrupted uploads (contract §11). `signal` ends the run after its current step. Returns the number
 * of uploads that expired.
 */
export async function expireUploads({ db, platform, folders, files }: Expiring, signal: AbortSignal): Promise<number> {
  let expired = 0
  while (!signal.aborted) {
    const ids = await expireSome(db, platform.now())
    for (const id of ids) await rm(join(folders.uploads, id), { force: true })
    await files?.remove('uploads', ids)
    expired += ids.length
    if (ids.length < STEP) break
  }
  const before = platform.now() - unconfirmedMs - hourMs
  await removeLeftovers(folders.uploads, before, signal)
  await files?.removeOld('uploads', before, signal)
  return expired
}

async function expireSome(db: Database, now: number): Promise<string[]> {
  return db.write(async (rows) => {
    const overdue = await rows
      .selectFrom('sourcemap')
      .select('id')
      .where('expires_at', '<', now)
      .where(unclaimed(now))
      .limit(STEP)
      .execute()
    const ids = overdue.map(({ id }) => id)
    if (ids.length === 0) return ids
    await forgetArtifacts(rows, ids)
    await rows
      .updateTable('sourcemap')
      .set({ state: 'SOURCEMAP_STATE_EXPIRED' satisfies State, expires_at: null })
      .where('id', 'in', ids)
      .execute()
    return ids
  })
}

/** A confirm that died may have recorded artifacts; frames must not be mapped with them. */
async function forgetArtifacts(rows: Rows, ids: readonly string[]): Promise<void> {
  const left = await rows
    .deleteFrom('sourcemap_artifact')
    .where('sourcemap_id', 'in', ids)
    .returning('product_id')
    .execute()
  if (left.length === 0) return
  await rows
    .deleteFrom('sourcemap_source')
    .where('product_id', 'in', [...new Set(left.map(({ product_id: id }) => id))])
    .where('sourcemap_id', 'in', ids)
    .execute()
}

/** Removes everything older than any upload that may still be confirmed. */
async function removeLeftovers(folder: string, before: number, signal: AbortSignal): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    if (signal.aborted) return
    const file = join(folder, name)
    const found = await stat(file).catch(() => undefined)
    if (found !== undefined && found.mtimeMs < before) await rm(file, { recursive: true, force: true })
  }
}
