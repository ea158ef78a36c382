import { environmentNames, releaseNames } from '../../workspace/releases/names.ts'
import type { Presence } from '../../errors/issues/read/presence.ts'
import type { Rows } from '../../sql/database.ts'
import { timestamp } from '../../shared/times.ts'
import type { EnvironmentBody } from './bodies.ts'
import { fewer } from './shorten.ts'
import type { NoteTruncation } from '../../shared/truncation-notes.ts'

const ENVIRONMENTS = 20
const RELEASES_EACH = 10

/**
 * The environments in which an issue occurs, with their share of all its occurrences (0..1), most occurrences first,
 * each with the versions it occurred in, newest occurrence first. At most 20 environments with 10 versions each.
 */
export async function splitByEnvironment(
  rows: Rows,
  presence: readonly Presence[],
  note: NoteTruncation,
): Promise<EnvironmentBody[]> {
  const total = presence.reduce((sum, { count }) => sum + count, 0)
  const all = byEnvironment(presence)
  const shown = fewer(all, ENVIRONMENTS, { member: 'environments', note }).map(({ releaseIds, ...environment }) => ({
    ...environment,
    releaseIds: fewer(releaseIds, RELEASES_EACH, { member: 'environments.releases', note }),
  }))
  const [environments, releases] = await Promise.all([
    environmentNames(
      rows,
      shown.map(({ id }) => id),
    ),
    releaseNames(
      rows,
      shown.flatMap(({ releaseIds }) => releaseIds),
    ),
  ])
  return shown.map(({ id, count, firstSeen, lastSeen, releaseIds }) => ({
    environment_id: id,
    environment: environments.get(id)?.name ?? '',
    environment_known: environments.get(id)?.known ?? false,
    count,
    share: Math.round((count / total) * 10_000) / 10_000,
    first_seen: timestamp(firstSeen),
    last_seen: timestamp(lastSeen),
    releases: releaseIds.flatMap((releaseId) => releases.get(releaseId)?.version ?? []),
  }))
}

/** The occurrences in one environment; `id` is '' for occurrences whose environment has no row. */
interface EnvironmentPresence {
  id: string
  count: number
  firstSeen: number
  lastSeen: number
  /** Newest occurrence first. */
  releaseIds: string[]
}

/** Presence summed by environment: highest count first, then newest first. */
export function byEnvironment(presence: readonly Presence[]): EnvironmentPresence[] {
  return [...Map.groupBy(presence, ({ environment_id: id }) => id)]
    .map(([id, places]) => ({
      id,
      count: places.reduce((sum, { count }) => sum + count, 0),
      firstSeen: places.reduce((first, place) => Math.min(first, place.first_seen), Infinity),
      lastSeen: places.reduce((last, place) => Math.max(last, place.last_seen), 0),
      releaseIds: places
        .toSorted((left, right) => right.last_seen - left.last_seen)
        .flatMap(({ release_id: releaseId }) => (releaseId === '' ? [] : [releaseId])),
    }))
    .toSorted((left, right) => right.count - left.count || right.lastSeen - left.lastSeen)
}
