import { sql, type Selectable } from 'kysely'
import type { InputOf } from '../../../contract/index.ts'
import type { Platform, Writing } from '../../shared/context.ts'
import { cutPage, type Page } from '../../shared/paging.ts'
import { countRows } from '../../sql/count-rows.ts'
import type { Rows } from '../../sql/database.ts'
import type { ReleaseRow } from '../../sql/schema.ts'
import { audit } from '../audit.ts'
import { ensureEnvironment } from './environments.ts'
import { adopts, isRecordedRelease, nameKey, unvouchedDetails, type RecordOrigin } from './rules.ts'

/** A row of `release`. */
export type StoredRelease = Selectable<ReleaseRow>

/** Members of a release that a caller may set; absent ones stay as they are. */
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
  /** Where the name comes from; a member's adopts a release that nobody vouched for (contract §6). */
  origin: RecordOrigin
  details?: ReleaseDetails
}

/**
 * Returns the release of product, version and environment, and creates or updates it if necessary; `before` is the
 * earlier row. What runs of tests say of a recorded release changes nothing (contract §6).
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
        vouched_at: isRecordedRelease({ origin }) ? now : null,
        ...said,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return { release, before }
  }
  const [wasRecorded, isRecorded] = [isRecordedRelease(before), isRecordedRelease({ origin })]
  const vouches = before.vouched_at === null && isRecorded
  const changes = {
    // The gate counts the results of a recorded release's branch (decision 058).
    ...(!wasRecorded && isRecorded && unvouchedDetails),
    ...((isRecorded || !wasRecorded) && said),
    ...(adopts(before, origin) && { origin }),
    ...(vouches && { vouched_at: now }),
  }
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

/** Creates or updates a release, and creates or adopts its environment, for a caller who vouches for both. */
export async function recordRelease(
  rows: Rows,
  call: Writing,
  { productId, environment: name, version, details }: RecordedRelease,
): Promise<{ release: StoredRelease; created: boolean }> {
  const environment = await ensureEnvironment(rows, call, { productId, name, origin: 'ORIGIN_RELEASE' })
  const environmentId = environment.environment.id
  if (environment.environment !== environment.before) {
    const verb = environment.before === undefined ? 'create' : 'update'
    const change = { before: environment.before, after: environment.environment }
    await audit(rows, call, { verb, resourceType: 'environment', resourceId: environmentId, ...change })
  }
  const facts = { productId, environmentId, version, origin: 'ORIGIN_MANUAL' as const, details }
  const { release, before } = await ensureRelease(rows, call, facts)
  const created = before === undefined
  if (release !== before) {
    const verb = created ? 'create' : 'update'
    await audit(rows, call, { verb, resourceType: 'release', resourceId: release.id, before, after: release })
  }
  return { release, created }
}

interface RecordedRelease {
  productId: number
  /** Name of the environment. */
  environment: string
  version: string
  details: ReleaseDetails
}

/** A release without a `released_at` is listed by its creation. */
const releasedAt = sql<number>`coalesce(release.released_at, release.created_at)`

/** One page of a product's releases that match the filter, newest first. */
export async function listReleaseRows(
  rows: Rows,
  query: {
    productId: number
    filter: Pick<InputOf<'listReleases'>, 'environment' | 'environment_id' | 'version'>
    page: Page
  },
) {
  const { productId, page } = query
  const { after } = page
  const { environment, environment_id: environmentId, version } = query.filter
  const all = rows
    .selectFrom('release')
    .innerJoin('environment', 'environment.id', 'release.environment_id')
    .where('release.product_id', '=', productId)
    .where('environment.deleted_at', 'is', null)
    .$if(environment !== undefined, (found) => found.where('environment.name_key', '=', nameKey(environment ?? '')))
    .$if(environmentId !== undefined, (found) => found.where('environment.id', '=', environmentId ?? ''))
    .$if(version !== undefined, (found) => found.where('release.version', '=', version ?? ''))
  const finding = all
    .selectAll('release')
    .select(releasedAt.as('sort_value'))
    .$if(after !== undefined, (paged) =>
      paged.where(sql<boolean>`(${releasedAt}, release.id) < (${after?.sortValue}, ${after?.id})`),
    )
    .orderBy(releasedAt, 'desc')
    .orderBy('release.id', 'desc')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(all), finding])
  return cutPage(page, found, total, ({ sort_value, id }) => ({ sortValue: sort_value, id }))
}
