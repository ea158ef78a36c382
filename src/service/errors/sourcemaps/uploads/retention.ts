import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { dayMs, hourMs } from '../../../shared/times.ts'
import type { Database, Rows } from '../../../sql/database.ts'
import { chunks } from '../../../sql/chunks.ts'
import { inSteps, STEP } from '../../../sql/in-steps.ts'
import { readJson } from '../../../sql/json.ts'
import { StoredSettings } from '../../../workspace/settings.ts'
import type { FileStore } from '../files/file-store.ts'
import type { State } from './states.ts'
import { noOutcome } from './stored.ts'

/** What a product may keep. `days` is the least; a product that keeps events longer keeps its maps as long. */
export interface KeptLimits {
  days: number
  uploads: number
  /** As they were sent. */
  bytes: number
}

export const keptLimits: KeptLimits = { days: 90, uploads: 5_000, bytes: 10 * 1024 ** 3 }
/** Share of a limit from which on an upload's answer says so. */
const NEAR = 0.8
/** A table without an artifact may belong to a confirm that is still writing. */
const TABLE_AGE_MS = dayMs
const TABLES_PER_QUERY = 500
const UPLOADS_PER_STEP = 50

const ready = 'SOURCEMAP_STATE_READY' satisfies State
const expired = 'SOURCEMAP_STATE_EXPIRED' satisfies State
const noFiles = JSON.stringify(noOutcome)

export interface RemovingUnused {
  db: Database
  now: number
  /** Folder of the finished tables. */
  tables: string
  /** Has the tables as well, if several processes share them. */
  files?: FileStore | undefined
  limits?: KeptLimits | undefined
  /** Called for each product that lost uploads. */
  onRemoved: (productId: number) => void
}

/**
 * Removes READY uploads that mapped no frame for 90 days (or the product's `retention_days`, when that is longer), and
 * beyond the limits of a product those that were not used for the longest time; then the tables that nothing refers to
 * (contract §13). Resolves to the number of uploads; `signal` ends the run after the current step.
 */
export async function removeUnused(options: RemovingUnused, signal: AbortSignal): Promise<number> {
  const { db, tables, files, now, onRemoved } = options
  const products = await db.read.selectFrom('product').select(['id', 'settings']).execute()
  let removed = 0
  for (const { id, settings } of products) {
    if (signal.aborted) return removed
    const unused = await findUnused(options, id, readJson(StoredSettings, settings).retention_days)
    const marked = await markExpired(db, unused)
    // Also what an interrupted run has left.
    const rows = await removeRows({ db, signal }, id)
    if (marked > 0 || rows > 0) onRemoved(id)
    removed += marked
  }
  const before = now - TABLE_AGE_MS
  await removeTables(db, tables, { before, signal })
  if (files !== undefined) await removeStoredTables(files, { db, before, signal })
  return removed
}

interface Unused {
  id: string
  /** When it was last used. */
  used: number
}

/** The uploads that are to go. */
async function findUnused(
  { db, now, limits = keptLimits }: RemovingUnused,
  productId: number,
  retentionDays: number,
): Promise<Unused[]> {
  const uploads = await db.read
    .selectFrom('sourcemap')
    .select(['id', 'size_bytes'])
    .select((eb) => eb.fn.coalesce('used_at', 'confirmed_at', 'created_at').as('used'))
    .where('product_id', '=', productId)
    .where('state', '=', ready)
    .execute()
  const before = now - Math.max(limits.days, retentionDays) * dayMs
  let [count, bytes] = [0, 0]
  const newestFirst = uploads.toSorted((left, right) => right.used - left.used || (left.id < right.id ? 1 : -1))
  return newestFirst.flatMap(({ id, size_bytes: size, used }) => {
    count += 1
    bytes += size
    // The newest stays, whatever its size.
    return used < before || (count > 1 && (count > limits.uploads || bytes > limits.bytes)) ? [{ id, used }] : []
  })
}

/**
 * Resolves to the number of those that were not used meanwhile. The lists of files may be long, so that only some are changed
 * in one transaction.
 */
async function markExpired(db: Database, unused: readonly Unused[]): Promise<number> {
  let marked = 0
  for (const some of chunks(unused, UPLOADS_PER_STEP)) {
    await db.batch(async (prepare) => {
      const update = prepare(
        `UPDATE sourcemap SET state = ?, files = ? WHERE id = ? AND state = ?
           AND coalesce(used_at, confirmed_at, created_at) = ?`,
      )
      for (const { id, used } of some) marked += (await update.run(expired, noFiles, id, ready, used)).changes
    })
  }
  return marked
}

/** Removes artifacts and paths of expired uploads. */
async function removeRows(where: { db: Database; signal: AbortSignal }, productId: number): Promise<number> {
  const artifacts = await inSteps(where, async (prepare) => {
    const { changes } = await prepare(
      `DELETE FROM sourcemap_artifact WHERE id IN (
         SELECT artifact.id FROM sourcemap JOIN sourcemap_artifact AS artifact ON artifact.sourcemap_id = sourcemap.id
         WHERE sourcemap.product_id = ? AND sourcemap.state = ? LIMIT ?)`,
    ).run(productId, expired, STEP)
    return changes
  })
  const paths = await inSteps(where, async (prepare) => {
    const { changes } = await prepare(
      `DELETE FROM sourcemap_source WHERE product_id = ?1 AND (path, sourcemap_id) IN (
         SELECT source.path, source.sourcemap_id FROM sourcemap
         JOIN sourcemap_source AS source ON source.sourcemap_id = sourcemap.id
         WHERE sourcemap.product_id = ?1 AND sourcemap.state = ?2 LIMIT ?3)`,
    ).run(productId, expired, STEP)
    return changes
  })
  return artifacts + paths
}

/** Removes tables that no artifact refers to: several uploads may share one. */
async function removeTables(
  db: Database,
  folder: string,
  { before, signal }: { before: number; signal: AbortSignal },
): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (let from = 0; from < names.length && !signal.aborted; from += TABLES_PER_QUERY) {
    const some = names.slice(from, from + TABLES_PER_QUERY)
    const used = new Set(await referredTables(db.read, some))
    for (const name of some.filter((candidate) => !used.has(candidate))) await removeOld(join(folder, name), before)
  }
}

/** The same in the database. In one statement, so that no artifact is recorded between the look and the removal. */
async function removeStoredTables(
  files: FileStore,
  { db, before, signal }: { db: Database; before: number; signal: AbortSignal },
): Promise<void> {
  await inSteps({ db, signal }, async (prepare) => {
    const { changes } = await prepare(
      `DELETE FROM stored_file WHERE folder = 'sourcemaps' AND name IN (
         SELECT name FROM stored_file WHERE folder = 'sourcemaps' AND made_at < ? AND NOT EXISTS (
           SELECT 1 FROM sourcemap_artifact WHERE content = stored_file.name) LIMIT ?)`,
    ).run(before, STEP)
    return changes
  })
  await files.sweep(before, signal)
}

async function referredTables(rows: Rows, names: readonly string[]): Promise<string[]> {
  const found = await rows
    .selectFrom('sourcemap_artifact')
    .select('content')
    .distinct()
    .where(rows.dialect.isOneOf('content', names))
    .execute()
  return found.map(({ content }) => content)
}

async function removeOld(file: string, before: number): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (found !== undefined && found.mtimeMs < before) await rm(file, { force: true })
}

/** Notes which uploads mapped frames, in one transaction and at most once an hour for each. */
export async function noteUsed(db: Database, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return
  await db.batch(async (prepare) => {
    const update = prepare('UPDATE sourcemap SET used_at = ?1 WHERE id = ?2 AND coalesce(used_at, 0) < ?3')
    for (const id of ids) await update.run(now, id, now - hourMs)
  })
}

/** A sentence for the answer of an upload when its product is near a limit; '' before. */
export async function limitsWarning(rows: Rows, productId: number, limits = keptLimits): Promise<string> {
  const kept = await rows
    .selectFrom('sourcemap')
    .select((eb) => [eb.fn.countAll<number>().as('uploads'), eb.fn.sum<number | null>('size_bytes').as('bytes')])
    .where('product_id', '=', productId)
    .where('state', '=', ready)
    .executeTakeFirstOrThrow()
  const isNear = kept.uploads >= NEAR * limits.uploads || (kept.bytes ?? 0) >= NEAR * limits.bytes
  if (!isNear) return ''
  const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`
  const state = `${kept.uploads} of ${limits.uploads} uploads, ${megabytes(kept.bytes ?? 0)} of ${megabytes(limits.bytes)}`
  return `The product keeps ${state}: beyond that, those that mapped no frame for the longest time are removed.`
}
