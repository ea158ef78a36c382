import type * as z from 'zod'
import type { getIssueStats } from '../../../../contract/issue-events.ts'
import type { Rows } from '../../../sql/database.ts'
import { bucketSeconds, storedResolution, periodWindow, type PeriodName } from '../buckets.ts'
import { timestamp } from '../../../shared/times.ts'
import { chunks } from '../../../sql/chunks.ts'
import { keptUntilEvent } from '../../../workspace/issue-facts/kept-until-event.ts'
import { environmentNames, placeNames } from '../../../workspace/releases/names.ts'
import { readPresence, type Presence } from './presence.ts'

type StatsBody = z.input<typeof getIssueStats.returns.shape.stats>

/**
 * Environments and releases in an answer, which stays small and readable however many names events make up (decision
 * 011).
 */
const MOST_PLACES = 50
/** What a number in a list, and a member of a map, take in memory. */
const NUMBER_BYTES = 8
const MEMBER_BYTES = 200

/** Occurrences and users of a period, in all and by what the answer shows. */
interface Tally {
  users: number
  /** By bucket of the window. */
  values: number[]
  total: number
  environments: Map<string, { values: number[]; total: number }>
  releases: Map<string, number>
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
  { issue, period, environmentId, now }: Query & { now: number },
): Promise<StatsBody> {
  const window = periodWindow(period, now)
  const tally = await keptTally(rows, { issue, period, environmentId }, window)
  const present = (await readPresence(rows, issue.id)).filter(
    (row) => environmentId === undefined || row.environment_id === environmentId,
  )
  const times = emptyBuckets(window).map((_, index) => timestamp(window.from + index * window.widthMs))
  const series = (values: readonly number[]) => times.map((at, index) => ({ at, count: values[index] ?? 0 }))
  const [environments, releases] = await Promise.all([
    viewEnvironments(rows, present, tally, series),
    viewReleases(rows, present, tally),
  ])
  return {
    issue_id: issue.id,
    period,
    bucket_seconds: bucketSeconds[period],
    from: timestamp(window.from),
    to: timestamp(window.to),
    total: tally.total,
    users_affected: tally.users,
    series: series(tally.values),
    environments,
    releases,
  }
}

interface Query {
  issue: { id: string; last_seq: number }
  period: PeriodName
  environmentId: string | undefined
}

interface Window {
  from: number
  to: number
  widthMs: number
}

/** Half of an answer's time, and only events of the issue change it: retention spares what is in a window. */
function keptTally(rows: Rows, query: Query, window: Window): Promise<Tally> {
  const { issue, period, environmentId } = query
  return keptUntilEvent(rows, issue, {
    name: JSON.stringify(['stats', period, environmentId]),
    basis: window.from,
    read: () => readTally(rows, query, window),
    size: ({ values, environments, releases }) =>
      (1 + environments.size) * values.length * NUMBER_BYTES + (environments.size + releases.size) * MEMBER_BYTES,
  })
}

async function readTally(rows: Rows, query: Query, window: Window): Promise<Tally> {
  const { issue, period, environmentId } = query
  const counts = await rows
    .selectFrom('occurrence_rollup')
    .select(['bucket', 'place_id', 'count'])
    .where('issue_id', '=', issue.id)
    .where('resolution', '=', storedResolution(period))
    .where('bucket', '>=', window.from)
    .where('bucket', '<', window.to)
    .execute()
  const places = await readPlaces(
    rows,
    counts.map(({ place_id: id }) => id),
  )
  const users = await usersSince(rows, query, window.from)
  const tally: Tally = { users, values: emptyBuckets(window), total: 0, environments: new Map(), releases: new Map() }
  for (const { bucket, place_id: id, count } of counts) {
    const place = places.get(id)
    if (place === undefined || (environmentId !== undefined && place.environment_id !== environmentId)) continue
    const here = tally.environments.get(place.environment_id) ?? { values: emptyBuckets(window), total: 0 }
    tally.environments.set(place.environment_id, here)
    const index = Math.floor((bucket - window.from) / window.widthMs)
    for (const { values } of [tally, here]) values[index] = (values[index] ?? 0) + count
    for (const each of [tally, here]) each.total += count
    tally.releases.set(place.release_id, (tally.releases.get(place.release_id) ?? 0) + count)
  }
  return tally
}

/** A row for each count would repeat two ids of 36 characters. */
async function readPlaces(rows: Rows, ids: readonly number[]) {
  const places = new Map<number, { environment_id: string; release_id: string }>()
  for (const some of chunks([...new Set(ids)])) {
    const found = await rows.selectFrom('place').selectAll().where('id', 'in', some).execute()
    for (const place of found) places.set(place.id, place)
  }
  return places
}

function emptyBuckets({ from, to, widthMs }: Window): number[] {
  return Array.from({ length: (to - from) / widthMs }, () => 0)
}

async function usersSince(rows: Rows, { issue, environmentId }: Query, from: number): Promise<number> {
  let select = rows
    .selectFrom('issue_user')
    .select((eb) => eb.fn.count<number>('user_hash').distinct().as('users'))
    .where('issue_id', '=', issue.id)
    .where('last_seen', '>=', from)
  if (environmentId !== undefined) select = select.where('environment_id', '=', environmentId)
  return (await select.executeTakeFirstOrThrow()).users
}

async function viewEnvironments(
  rows: Rows,
  present: readonly Presence[],
  tally: Tally,
  series: (values: readonly number[]) => StatsBody['series'],
): Promise<StatsBody['environments']> {
  const merged = Map.groupBy(present, (row) => row.environment_id)
  const environments = loudest(
    [...merged].map(([id, places]) => {
      const { values, total } = tally.environments.get(id) ?? { values: [], total: 0 }
      const first_seen = places.reduce((first, place) => Math.min(first, place.first_seen), Infinity)
      const last_seen = places.reduce((last, place) => Math.max(last, place.last_seen), 0)
      return { id, values, count: total, first_seen, last_seen }
    }),
  )
  const names = await environmentNames(
    rows,
    environments.map(({ id }) => id),
  )
  return environments.map(({ id, values, count, first_seen, last_seen }) => ({
    environment_id: id,
    environment: names.get(id)?.name ?? '',
    environment_known: names.get(id)?.known ?? false,
    count,
    first_seen: timestamp(first_seen),
    last_seen: timestamp(last_seen),
    series: series(values),
  }))
}

async function viewReleases(rows: Rows, present: readonly Presence[], tally: Tally): Promise<StatsBody['releases']> {
  const releases = loudest(
    present
      .filter((place) => place.release_id !== '')
      .map((place) => ({ ...place, count: tally.releases.get(place.release_id) ?? 0 })),
  )
  const { releases: names, environments } = await placeNames(rows, releases)
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
