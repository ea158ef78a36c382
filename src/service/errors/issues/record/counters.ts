import type { Prepare } from '../../../sql/database.ts'
import { activityKeptMs, countActivity } from '../../../workspace/activity.ts'
import { bucketStart, resolutions } from '../buckets.ts'
import type { EventPlace } from './event-place.ts'

export interface Counted {
  issueId: string
  place: EventPlace
  timestamp: number
  receivedAt: number
  userHash: string
  /** No occurrence of the issue happened later. */
  isNewest: boolean
}

/**
 * Counts one stored occurrence in what is kept about its issue: presence, environments, rollups. These counters stay when
 * retention removes occurrences.
 */
export async function countOccurrence(prepare: Prepare, counted: Counted): Promise<void> {
  await countPresence(prepare, counted)
  await countEnvironment(prepare, counted)
  await countRollups(prepare, counted)
  const { issueId, place, timestamp, receivedAt } = counted
  // Retention would remove it at once.
  if (timestamp < receivedAt - activityKeptMs) return
  await countActivity(prepare, { issueId, environmentId: place.environmentId, timestamp })
}

function countPresence(prepare: Prepare, { issueId, place, timestamp }: Counted): Promise<void> {
  return prepare(
    `INSERT INTO issue_presence (issue_id, environment_id, release_id, count, first_seen, last_seen)
     VALUES (?1, ?2, ?3, 1, ?4, ?4)
     ON CONFLICT (issue_id, environment_id, release_id) DO UPDATE SET count = issue_presence.count + 1,
       first_seen = CASE WHEN ?4 < issue_presence.first_seen THEN ?4 ELSE issue_presence.first_seen END,
       last_seen = CASE WHEN ?4 > issue_presence.last_seen THEN ?4 ELSE issue_presence.last_seen END`,
  ).send(issueId, place.environmentId, place.releaseId, timestamp)
}

/** The oldest occurrence in an environment decides which release brought the issue there. */
async function countEnvironment(prepare: Prepare, { issueId, place, timestamp, isNewest }: Counted): Promise<void> {
  await prepare(
    `INSERT INTO issue_environment (issue_id, environment_id, count, first_seen, last_seen, first_release_id)
     VALUES (?1, ?2, 1, ?3, ?3, ?4)
     ON CONFLICT (issue_id, environment_id) DO UPDATE SET count = issue_environment.count + 1,
       last_seen = CASE WHEN ?3 > issue_environment.last_seen THEN ?3 ELSE issue_environment.last_seen END`,
  ).send(issueId, place.environmentId, timestamp, place.releaseId)
  if (isNewest) return
  // A statement of its own, because setting a column writes its indexes even where the value stays.
  await prepare(
    `UPDATE issue_environment SET first_seen = ?1, first_release_id = ?2
     WHERE issue_id = ?3 AND environment_id = ?4 AND first_seen > ?1`,
  ).send(timestamp, place.releaseId, issueId, place.environmentId)
}

function countRollups(prepare: Prepare, { issueId, place, timestamp, receivedAt }: Counted): Promise<void> {
  // Retention would remove the others at once.
  const kept = resolutions.filter(({ keptMs }) => timestamp >= receivedAt - keptMs)
  return prepare(
    `INSERT INTO occurrence_rollup (issue_id, resolution, bucket, place_id, count)
     VALUES ${kept.map(() => '(?, ?, ?, ?, 1)').join(', ')}
     ON CONFLICT (issue_id, bucket, resolution, place_id) DO UPDATE SET count = occurrence_rollup.count + 1`,
  ).send(...kept.flatMap(({ seconds }) => [issueId, seconds, bucketStart(timestamp, seconds), place.id]))
}

/** Records that the user was affected there; returns true when it is the user's first occurrence of this issue. */
export async function countUser(prepare: Prepare, { issueId, place, timestamp, userHash }: Counted): Promise<boolean> {
  if (userHash === '') return false
  const met = await prepare('SELECT 1 FROM issue_user WHERE issue_id = ? AND user_hash = ? LIMIT 1').get(
    issueId,
    userHash,
  )
  await prepare(
    `INSERT INTO issue_user (issue_id, user_hash, environment_id, last_seen) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (issue_id, user_hash, environment_id) DO UPDATE SET
       last_seen = CASE WHEN ?4 > issue_user.last_seen THEN ?4 ELSE issue_user.last_seen END`,
  ).send(issueId, userHash, place.environmentId, timestamp)
  return met === undefined
}

/** Counts occurrences on environments and releases, which are few: each is written once for a transaction. */
export interface PlaceCounters {
  count(place: EventPlace, timestamp: number): void
  /** Writes the counts. */
  write(): Promise<void>
}

interface Sum {
  place: EventPlace
  count: number
  first: number
  last: number
}

/** Valid for one transaction. */
export function createPlaceCounters(prepare: Prepare): PlaceCounters {
  const sums = new Map<string, Sum>()
  return {
    count(place, timestamp) {
      const key = `${place.environmentId} ${place.releaseId}`
      const known = sums.get(key) ?? { place, count: 0, first: timestamp, last: timestamp }
      const { first, last } = known
      sums.set(key, {
        place,
        count: known.count + 1,
        first: Math.min(first, timestamp),
        last: Math.max(last, timestamp),
      })
    },
    async write() {
      for (const sum of sums.values()) await writePlace(prepare, sum)
    },
  }
}

async function writePlace(prepare: Prepare, { place, count, first, last }: Sum): Promise<void> {
  if (place.environmentId === '') return
  await prepare(
    'UPDATE environment SET last_event_at = CASE WHEN coalesce(last_event_at, 0) > ?1 THEN coalesce(last_event_at, 0) ELSE ?1 END WHERE id = ?2',
  ).send(last, place.environmentId)
  if (place.releaseId === '') return
  await prepare(
    `UPDATE release SET event_count = event_count + ?1,
       first_event_at = CASE WHEN first_event_at < ?2 THEN first_event_at ELSE ?2 END,
       last_event_at = CASE WHEN coalesce(last_event_at, 0) > ?3 THEN coalesce(last_event_at, 0) ELSE ?3 END WHERE id = ?4`,
  ).send(count, first, last, place.releaseId)
}
