import type * as z from 'zod'
import type { getIssueStats } from '../../../../contract/issue-events.ts'
import type { Rows } from '../../../sql/database.ts'
import { bucketSeconds, storedResolution, periodWindow, type PeriodName } from '../buckets.ts'
import { timestamp } from '../../../shared/times.ts'
import { environmentNames, releaseNames } from '../../../workspace/releases/names.ts'
import { readPresence, type Presence } from './presence.ts'

type StatsBody = z.input<typeof getIssueStats.returns.shape.stats>

/**
 * Environments and releases in an answer, which stays small and readable however many names events make up (decision
 * 011).
 */
const MOST_PLACES = 50

interface Count {
  bucket: number
  environment_id: string
  release_id: string
  count: number
}

/**
 * Occurrences of one issue over a trailing period, read from rollups, so that they stay correct after retention: whole
 * UTC-aligned buckets with zeros, the last one holding `now`. `total` is the sum of the series. Environments and
 * releases are all that ever had the issue, with their count in the period and the first and last time of all their
 * occurrences: the 50 with the highest count, the most recent first among equals. `users_affected` counts the users
 * affected since the first bucket.
 */
export async function readStats(
  rows: Rows,
  query: { issueId: string; period: PeriodName; environmentId: string | undefined; now: number },
): Promise<StatsBody> {
  const { issueId, period, environmentId, now } = query
  const window = periodWindow(period, now)
  const counts = await readCounts(rows, query, window)
  const present = (await readPresence(rows, issueId)).filter(
    (row) => environmentId === undefined || row.environment_id === environmentId,
  )
  const series = (matching: readonly Count[]) => toSeries(matching, window)
  return {
    issue_id: issueId,
    period,
    bucket_seconds: bucketSeconds[period],
    from: timestamp(window.from),
    to: timestamp(window.to),
    total: sum(counts),
    users_affected: await usersSince(rows, query, window.from),
    series: series(counts),
    environments: await viewEnvironments(rows, present, counts, series),
    releases: await viewReleases(rows, present, counts),
  }
}

interface Window {
  from: number
  to: number
  widthMs: number
}

async function readCounts(
  rows: Rows,
  { issueId, period, environmentId }: { issueId: string; period: PeriodName; environmentId: string | undefined },
  { from, to }: Window,
): Promise<Count[]> {
  let select = rows
    .selectFrom('occurrence_rollup')
    .innerJoin('place', 'place.id', 'place_id')
    .select(['bucket', 'environment_id', 'release_id', 'count'])
    .where('issue_id', '=', issueId)
    .where('resolution', '=', storedResolution(period))
    .where('bucket', '>=', from)
    .where('bucket', '<', to)
  if (environmentId !== undefined) select = select.where('environment_id', '=', environmentId)
  return select.execute()
}

async function usersSince(
  rows: Rows,
  { issueId, environmentId }: { issueId: string; environmentId: string | undefined },
  from: number,
): Promise<number> {
  let select = rows
    .selectFrom('issue_user')
    .select((eb) => eb.fn.count<number>('user_hash').distinct().as('users'))
    .where('issue_id', '=', issueId)
    .where('last_seen', '>=', from)
  if (environmentId !== undefined) select = select.where('environment_id', '=', environmentId)
  return (await select.executeTakeFirstOrThrow()).users
}

function toSeries(counts: readonly Count[], { from, to, widthMs }: Window): StatsBody['series'] {
  const values = Array.from({ length: (to - from) / widthMs }, () => 0)
  for (const { bucket, count } of counts) {
    const index = Math.floor((bucket - from) / widthMs)
    values[index] = (values[index] ?? 0) + count
  }
  return values.map((count, index) => ({ at: timestamp(from + index * widthMs), count }))
}

async function viewEnvironments(
  rows: Rows,
  present: readonly Presence[],
  counts: readonly Count[],
  series: (counts: readonly Count[]) => StatsBody['series'],
): Promise<StatsBody['environments']> {
  const countsByEnvironment = Map.groupBy(counts, (count) => count.environment_id)
  const merged = Map.groupBy(present, (row) => row.environment_id)
  const environments = loudest(
    [...merged].map(([id, places]) => {
      const here = countsByEnvironment.get(id) ?? []
      const first_seen = places.reduce((first, place) => Math.min(first, place.first_seen), Infinity)
      const last_seen = places.reduce((last, place) => Math.max(last, place.last_seen), 0)
      return { id, here, count: sum(here), first_seen, last_seen }
    }),
  )
  const names = await environmentNames(
    rows,
    environments.map(({ id }) => id),
  )
  return environments.map(({ id, here, count, first_seen, last_seen }) => ({
    environment_id: id,
    environment: names.get(id)?.name ?? '',
    environment_known: names.get(id)?.known ?? false,
    count,
    first_seen: timestamp(first_seen),
    last_seen: timestamp(last_seen),
    series: series(here),
  }))
}

async function viewReleases(
  rows: Rows,
  present: readonly Presence[],
  counts: readonly Count[],
): Promise<StatsBody['releases']> {
  const countsByRelease = Map.groupBy(counts, (count) => count.release_id)
  const releases = loudest(
    present
      .filter((place) => place.release_id !== '')
      .map((place) => ({ ...place, count: sum(countsByRelease.get(place.release_id) ?? []) })),
  )
  const names = await releaseNames(
    rows,
    releases.map((place) => place.release_id),
  )
  const environments = await environmentNames(
    rows,
    releases.map((place) => place.environment_id),
  )
  return releases.map((place) => ({
    release_id: place.release_id,
    version: names.get(place.release_id)?.version ?? '',
    known: names.get(place.release_id)?.known ?? false,
    environment: environments.get(place.environment_id)?.name ?? '',
    environment_known: environments.get(place.environment_id)?.known ?? false,
    count: place.count,
    first_seen: timestamp(place.first_seen),
    last_seen: timestamp(place.last_seen),
  }))
}

function loudest<P extends { count: number; last_seen: number }>(places: readonly P[]): P[] {
  return places
    .toSorted((left, right) => right.count - left.count || right.last_seen - left.last_seen)
    .slice(0, MOST_PLACES)
}

function sum(counts: readonly Count[]): number {
  return counts.reduce((total, { count }) => total + count, 0)
}
