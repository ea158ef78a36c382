import type * as z from 'zod'
import type { Environment } from '../../../contract/environments.ts'
import { countRecentEvents } from '../activity.ts'
import type { ViewTime } from '../../shared/view-time.ts'
import { computeEtag } from '../../shared/etag.ts'
import type { Rows } from '../../sql/database.ts'
import { dayMs, timestamp, timestampOrNull } from '../../shared/times.ts'
import type { StoredEnvironment } from './environments.ts'
import { orderReleases } from './release-order.ts'
import { isKnownEnvironment, isKnownRelease, type EnvironmentKindName, type RecordOrigin } from './rules.ts'

/** The contract's environments, with their newest release and the events of the last 24 hours. */
export async function viewEnvironments(
  rows: Rows,
  time: ViewTime,
  environments: readonly StoredEnvironment[],
): Promise<z.input<typeof Environment>[]> {
  if (environments.length === 0) return []
  const ids = environments.map(({ id }) => id)
  const [newest, events] = await Promise.all([
    newestReleases(rows, ids),
    countRecentEvents(rows, 'environment', { ids, periodMs: dayMs, ...time }),
  ])
  return environments.map((row) => ({
    id: row.id,
    product_id: String(row.product_id),
    name: row.name,
    known: isKnownEnvironment(row),
    // Written only by rules.ts and by parsed requests.
    kind: row.kind as EnvironmentKindName,
    exposure_weight: row.exposure_weight,
    description: row.description,
    origin: row.origin as RecordOrigin,
    latest_release: newest.get(row.id) ?? null,
    last_event_at: timestampOrNull(row.last_event_at),
    events_24h: events.get(row.id) ?? 0,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    etag: computeEtag(row.id, row.version),
  }))
}

async function newestReleases(rows: Rows, environmentIds: readonly string[]) {
  const releases = await rows
    .selectFrom('release')
    .select(['id', 'environment_id', 'version', 'origin', 'released_at', 'created_at'])
    .where('environment_id', 'in', environmentIds)
    .execute()
  const newest = new Map<string, { id: string; version: string; known: boolean }>()
  for (const [environmentId, group] of Map.groupBy(releases, (release) => release.environment_id)) {
    const last = orderReleases(group).at(-1)
    if (last !== undefined)
      newest.set(environmentId, { id: last.id, version: last.version, known: isKnownRelease(last) })
  }
  return newest
}
