import { sql } from 'kysely'
import type * as z from 'zod'
import type { Release } from '../../../contract/environments.ts'
import { computeEtag } from '../../shared/etag.ts'
import type { Rows } from '../../sql/database.ts'
import { timestamp, timestampOrNull } from '../../shared/times.ts'
import { packagePart } from './fix-order.ts'
import { orderReleases, type OrderedRelease } from './release-order.ts'
import type { StoredRelease } from './releases.ts'
import { isKnownEnvironment, isKnownRelease, type RecordOrigin } from './rules.ts'

/** The contract's releases, in the order given. */
export async function viewReleases(rows: Rows, releases: readonly StoredRelease[]): Promise<z.input<typeof Release>[]> {
  if (releases.length === 0) return []
  const ids = releases.map(({ id }) => id)
  const environmentIds = [...new Set(releases.map(({ environment_id }) => environment_id))]
  // A server answers them at the same time.
  const [environments, places, fresh, regressed, maps] = await Promise.all([
    readEnvironments(rows, environmentIds),
    readReleasePlaces(rows, environmentIds),
    newIssues(rows, ids),
    regressions(rows, ids),
    sourceMaps(rows, releases),
  ])
  return releases.map((row) => {
    const environment = environments.get(row.environment_id)
    return {
      id: row.id,
      product_id: String(row.product_id),
      version: row.version,
      known: isKnownRelease(row),
      environment: environment?.name ?? '',
      environment_known: environment !== undefined && isKnownEnvironment(environment),
      environment_id: row.environment_id,
      commit_sha: row.commit_sha,
      git_branch: row.git_branch,
      url: row.url,
      notes: row.notes,
      released_at: timestampOrNull(row.released_at),
      predecessor_id: places.get(row.id)?.predecessorId ?? '',
      sequence: places.get(row.id)?.sequence ?? 0,
      // Written only by the callers of ensureRelease.
      origin: row.origin as RecordOrigin,
      counts: {
        new_issues: fresh.get(row.id) ?? 0,
        regressed_issues: regressed.get(row.id) ?? 0,
        events: row.event_count,
        source_maps: maps.get(`${row.product_id} ${row.version}`) ?? 0,
      },
      first_event_at: timestampOrNull(row.first_event_at),
      last_event_at: timestampOrNull(row.last_event_at),
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      etag: computeEtag(row.id, row.etag_version),
    }
  })
}

/** A release as a reference: the version is its title. Null when there is none with that id. */
export async function releaseRef(rows: Rows, id: string) {
  const row = await rows.selectFrom('release').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : { id, key: '', title: row.version, known: isKnownRelease(row) }
}

/** Number of uploads in use, by product and version: a map belongs to a version in every environment. */
async function sourceMaps(rows: Rows, releases: readonly StoredRelease[]): Promise<Map<string, number>> {
  const counts = await rows
    .selectFrom('sourcemap')
    .select(['product_id', 'release', sql<number>`count(*)`.as('maps')])
    .where('product_id', 'in', [...new Set(releases.map(({ product_id }) => product_id))])
    .where('release', 'in', [...new Set(releases.map(({ version }) => version))])
    .where('state', '=', 'SOURCEMAP_STATE_READY')
    .groupBy(['product_id', 'release'])
    .execute()
  return new Map(counts.map(({ product_id, release, maps }) => [`${product_id} ${release}`, maps]))
}

async function readEnvironments(rows: Rows, ids: readonly string[]) {
  const found = await rows.selectFrom('environment').select(['id', 'name', 'origin']).where('id', 'in', ids).execute()
  return new Map(found.map((environment) => [environment.id, environment]))
}

/** Place of each release in the order of its environment, from 1, and the release of its package before it. */
async function readReleasePlaces(rows: Rows, environmentIds: readonly string[]) {
  const siblings = await rows
    .selectFrom('release')
    .select(['id', 'environment_id', 'version', 'released_at', 'created_at'])
    .where('environment_id', 'in', environmentIds)
    .execute()
  const places = new Map<string, { sequence: number; predecessorId: string }>()
  for (const group of Map.groupBy(siblings, (sibling) => sibling.environment_id).values()) {
    const inPackage = previousInPackage(group)
    /** The newest release so far that names no package. */
    let unnamed = ''
    for (const [index, { id, version }] of orderReleases(group).entries()) {
      const isUnnamed = packagePart(version) === ''
      places.set(id, { sequence: index + 1, predecessorId: inPackage.get(id) ?? (isUnnamed ? '' : unnamed) })
      if (isUnnamed) unnamed = id
    }
  }
  return places
}

/**
 * The release of the same package before each release that has one. Packages are ordered apart: dates and versions of several
 * packages together have no order in which each package has its own.
 */
function previousInPackage(releases: readonly OrderedRelease[]): Map<string, string> {
  const previous = new Map<string, string>()
  for (const line of Map.groupBy(releases, ({ version }) => packagePart(version)).values()) {
    const ordered = orderReleases(line)
    for (const [index, { id }] of ordered.entries()) {
      const before = ordered[index - 1]
      if (before !== undefined) previous.set(id, before.id)
    }
  }
  return previous
}

/** Issues that the releases brought to their environments (contract §10.2). */
async function newIssues(rows: Rows, releaseIds: readonly string[]): Promise<Map<string, number>> {
  const counts = await rows
    .selectFrom('issue_environment')
    .select(['first_release_id', sql<number>`count(*)`.as('issues')])
    .where('first_release_id', '<>', '')
    .where('first_release_id', 'in', releaseIds)
    .groupBy('first_release_id')
    .execute()
  return new Map(counts.map(({ first_release_id, issues }) => [first_release_id, issues]))
}

async function regressions(rows: Rows, releaseIds: readonly string[]): Promise<Map<string, number>> {
  const counts = await rows
    .selectFrom('issue_regression')
    .select(['release_id', sql<number>`count(*)`.as('issues')])
    .where('release_id', 'in', releaseIds)
    .groupBy('release_id')
    .execute()
  return new Map(counts.map(({ release_id, issues }) => [release_id, issues]))
}
