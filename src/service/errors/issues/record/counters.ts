import type { Prepare } from '../../../sql/database.ts'
import { sendRows } from '../../../sql/writing/send-rows.ts'
import { activityKeptMs, activityOfEvent, writeActivity } from '../../../workspace/activity.ts'
import { bucketStart, resolutions } from '../buckets.ts'
import type { EventPlace } from './event-place.ts'

export interface Counted {
  issueId: string
  /** '' for none. */
  componentId: string
  place: EventPlace
  timestamp: number
  receivedAt: number
  userHash: string
  /** No occurrence of the issue happened later. */
  isNewest: boolean
}

/**
 * What is kept about issues when retention removes their occurrences: presence, environments, users, rollups, activity.
 * Gathered for the events of a transaction, and written in sets.
 */
export interface IssueCounters {
  count(counted: Counted): void
  /** Sends what was gathered so far and clears it. */
  write(): Promise<void>
}

/** Valid for one transaction. */
export function createIssueCounters(prepare: Prepare): IssueCounters {
  const presence = new Map<string, Presence>()
  const environments = new Map<string, InEnvironment>()
  const users = new Map<string, User>()
  const rollups = new Map<string, Rollup>()
  const activity = new Map<string, Activity>()

  return {
    count(counted) {
      countPresence(presence, counted)
      countEnvironment(environments, counted)
      countUser(users, counted)
      countRollups(rollups, counted)
      const { componentId, place, timestamp, receivedAt } = counted
      // Retention would remove it at once.
      if (timestamp < receivedAt - activityKeptMs) return
      for (const each of activityOfEvent({ componentId, environmentId: place.environmentId, timestamp })) {
        add(activity, [each.subjectId, each.bucket], each)
      }
    },
    async write() {
      await writePresence(prepare, take(presence))
      await writeEnvironments(prepare, take(environments))
      await writeUsers(prepare, take(users))
      await writeRollups(prepare, take(rollups))
      await writeActivity(prepare, take(activity))
    },
  }
}

function take<T>(gathered: Map<string, T>): T[] {
  const rows = [...gathered.values()]
  gathered.clear()
  return rows
}

/** Adds one to the count of a key, whose other columns are those of the first. */
function add<T extends object>(sums: Map<string, T & { count: number }>, key: readonly unknown[], row: T): void {
  const name = JSON.stringify(key)
  const known = sums.get(name)
  if (known === undefined) sums.set(name, { ...row, count: 1 })
  else known.count += 1
}

interface Presence {
  issueId: string
  place: EventPlace
  count: number
  first: number
  last: number
}

function countPresence(presence: Map<string, Presence>, { issueId, place, timestamp }: Counted): void {
  const key = JSON.stringify([issueId, place.environmentId, place.releaseId])
  const { count, first, last } = presence.get(key) ?? { count: 0, first: timestamp, last: timestamp }
  const span = { first: Math.min(first, timestamp), last: Math.max(last, timestamp) }
  presence.set(key, { issueId, place, count: count + 1, ...span })
}

function writePresence(prepare: Prepare, rows: readonly Presence[]): Promise<void> {
  return sendRows(
    prepare,
    {
      insert: 'INSERT INTO issue_presence (issue_id, environment_id, release_id, count, first_seen, last_seen)',
      after: `ON CONFLICT (issue_id, environment_id, release_id) DO UPDATE SET count = issue_presence.count + excluded.count,
        first_seen = CASE WHEN excluded.first_seen < issue_presence.first_seen THEN excluded.first_seen ELSE issue_presence.first_seen END,
        last_seen = CASE WHEN excluded.last_seen > issue_presence.last_seen THEN excluded.last_seen ELSE issue_presence.last_seen END`,
    },
    rows.map(({ issueId, place, count, first, last }) => {
      return [issueId, place.environmentId, place.releaseId, count, first, last]
    }),
  )
}

/** The oldest occurrence in an environment decides which release brought the issue there. */
interface InEnvironment {
  issueId: string
  environmentId: string
  count: number
  first: number
  firstReleaseId: string
  last: number
  /** One of the occurrences was not the newest of its issue, so that an older row may be older still. */
  mayBeFirst: boolean
}

function countEnvironment(
  environments: Map<string, InEnvironment>,
  { issueId, place: { environmentId, releaseId }, timestamp, isNewest }: Counted,
): void {
  const key = JSON.stringify([issueId, environmentId])
  const known = environments.get(key)
  const isFirst = known === undefined || timestamp < known.first
  environments.set(key, {
    issueId,
    environmentId,
    count: (known?.count ?? 0) + 1,
    first: isFirst ? timestamp : known.first,
    firstReleaseId: isFirst ? releaseId : known.firstReleaseId,
    last: Math.max(known?.last ?? timestamp, timestamp),
    mayBeFirst: known?.mayBeFirst === true || !isNewest,
  })
}

async function writeEnvironments(prepare: Prepare, rows: readonly InEnvironment[]): Promise<void> {
  await sendRows(
    prepare,
    {
      insert:
        'INSERT INTO issue_environment (issue_id, environment_id, count, first_seen, last_seen, first_release_id)',
      after: `ON CONFLICT (issue_id, environment_id) DO UPDATE SET count = issue_environment.count + excluded.count,
        last_seen = CASE WHEN excluded.last_seen > issue_environment.last_seen THEN excluded.last_seen ELSE issue_environment.last_seen END`,
    },
    rows.map(({ issueId, environmentId, count, first, last, firstReleaseId }) => {
      return [issueId, environmentId, count, first, last, firstReleaseId]
    }),
  )
  // Statements of their own, because setting a column writes its indexes even where the value stays.
  const older = prepare(
    `UPDATE issue_environment SET first_seen = ?1, first_release_id = ?2
     WHERE issue_id = ?3 AND environment_id = ?4 AND first_seen > ?1`,
  )
  const asked = rows.filter(({ mayBeFirst }) => mayBeFirst)
  await older.sendEach(
    asked.map(({ issueId, environmentId, first, firstReleaseId }) => [first, firstReleaseId, issueId, environmentId]),
  )
}

interface User {
  issueId: string
  userHash: string
  environmentId: string
  last: number
}

function countUser(users: Map<string, User>, { issueId, userHash, place, timestamp }: Counted): void {
  if (userHash === '') return
  const { environmentId } = place
  const key = JSON.stringify([issueId, userHash, environmentId])
  const last = Math.max(users.get(key)?.last ?? timestamp, timestamp)
  users.set(key, { issueId, userHash, environmentId, last })
}

function writeUsers(prepare: Prepare, rows: readonly User[]): Promise<void> {
  return sendRows(
    prepare,
    {
      insert: 'INSERT INTO issue_user (issue_id, user_hash, environment_id, last_seen)',
      after: `ON CONFLICT (issue_id, user_hash, environment_id) DO UPDATE SET
        last_seen = CASE WHEN excluded.last_seen > issue_user.last_seen THEN excluded.last_seen ELSE issue_user.last_seen END`,
    },
    rows.map(({ issueId, userHash, environmentId, last }) => [issueId, userHash, environmentId, last]),
  )
}

interface Rollup {
  issueId: string
  seconds: number
  bucket: number
  placeId: number
  count: number
}

function countRollups(rollups: Map<string, Rollup>, { issueId, place, timestamp, receivedAt }: Counted): void {
  // Retention would remove the others at once.
  for (const { seconds, keptMs } of resolutions) {
    if (timestamp < receivedAt - keptMs) continue
    const bucket = bucketStart(timestamp, seconds)
    add<Omit<Rollup, 'count'>>(rollups, [issueId, seconds, bucket, place.id], {
      issueId,
      seconds,
      bucket,
      placeId: place.id,
    })
  }
}

function writeRollups(prepare: Prepare, rows: readonly Rollup[]): Promise<void> {
  return sendRows(
    prepare,
    {
      insert: 'INSERT INTO occurrence_rollup (issue_id, resolution, bucket, place_id, count)',
      after:
        'ON CONFLICT (issue_id, bucket, resolution, place_id) DO UPDATE SET count = occurrence_rollup.count + excluded.count',
    },
    rows.map(({ issueId, seconds, bucket, placeId, count }) => [issueId, seconds, bucket, placeId, count]),
  )
}

interface Activity {
  subjectId: string
  bucket: number
  count: number
}

/** Counts occurrences on environments and releases, which are few: each is written once for a transaction. */
export interface PlaceCounters {
  count(place: EventPlace, timestamp: number): void
  /** Writes the counts. */
  write(): Promise<void>
}

interface Sum {
  releaseId: string
  count: number
  first: number
  last: number
}

/** Valid for one transaction. */
export function createPlaceCounters(prepare: Prepare): PlaceCounters {
  const lastByEnvironment = new Map<string, number>()
  const releases = new Map<string, Sum>()
  return {
    count({ environmentId, releaseId }, timestamp) {
      if (environmentId === '') return
      lastByEnvironment.set(environmentId, Math.max(lastByEnvironment.get(environmentId) ?? timestamp, timestamp))
      if (releaseId === '') return
      const known = releases.get(releaseId) ?? { releaseId, count: 0, first: timestamp, last: timestamp }
      releases.set(releaseId, {
        releaseId,
        count: known.count + 1,
        first: Math.min(known.first, timestamp),
        last: Math.max(known.last, timestamp),
      })
    },
    async write() {
      await prepare(
        'UPDATE environment SET last_event_at = CASE WHEN coalesce(last_event_at, 0) > ?1 THEN coalesce(last_event_at, 0) ELSE ?1 END WHERE id = ?2',
      ).sendEach([...lastByEnvironment].map(([environmentId, last]) => [last, environmentId]))
      await prepare(
        `UPDATE release SET event_count = event_count + ?1,
           first_event_at = CASE WHEN first_event_at < ?2 THEN first_event_at ELSE ?2 END,
           last_event_at = CASE WHEN coalesce(last_event_at, 0) > ?3 THEN coalesce(last_event_at, 0) ELSE ?3 END WHERE id = ?4`,
      ).sendEach([...releases.values()].map(({ releaseId, count, first, last }) => [count, first, last, releaseId]))
    },
  }
}
