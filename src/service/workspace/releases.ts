import type { Selectable } from 'kysely'
import type { Platform } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import type { ReleaseRow } from '../sql/schema.ts'
import type { OriginOf } from './rules.ts'

/** A release as its table holds it. */
export type StoredRelease = Selectable<ReleaseRow>

/** What a caller says about a release; what it leaves out stays. */
export interface ReleaseDetails {
  commit_sha?: string | undefined
  git_branch?: string | undefined
  url?: string | undefined
  notes?: string | undefined
  released_at?: number | undefined
}

export interface ReleaseFacts {
  productId: number
  environmentId: string
  version: string
  /** Who names it; anything but EVENT adopts one that so far only events named (contract §6). */
  origin: OriginOf
  details?: ReleaseDetails
}

/**
 * The release that product, version and environment identify, made or brought up to date; `before` is what was there.
 * Runs inside the caller's transaction.
 */
export async function ensureRelease(
  rows: Rows,
  platform: Platform,
  { productId, environmentId, version, origin, details = {} }: ReleaseFacts,
): Promise<{ release: StoredRelease; before: StoredRelease | undefined }> {
  const before = await rows
    .selectFrom('release')
    .selectAll()
    .where('product_id', '=', productId)
    .where('version', '=', version)
    .where('environment_id', '=', environmentId)
    .executeTakeFirst()
  const said = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined))
  const now = platform.now()
  if (before === undefined) {
    const release = await rows
      .insertInto('release')
      .values({
        id: platform.newId(),
        product_id: productId,
        environment_id: environmentId,
        version,
        origin,
        created_at: now,
        updated_at: now,
        released_at: null,
        first_event_at: null,
        last_event_at: null,
        ...said,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return { release, before }
  }
  const changes = { ...said, ...(adopts(before, origin) && { origin }) }
  if (Object.entries(changes).every(([name, value]) => before[name as keyof StoredRelease] === value)) {
    return { release: before, before }
  }
  const release = await rows
    .updateTable('release')
    .set({ ...changes, etag_version: before.etag_version + 1, updated_at: now })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { release, before }
}

function adopts(before: StoredRelease, origin: OriginOf): boolean {
  return before.origin === ('ORIGIN_EVENT' satisfies OriginOf) && origin !== 'ORIGIN_EVENT'
}
