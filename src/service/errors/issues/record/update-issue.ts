import type { Prepare } from '../../../sql/database.ts'
import { storedCorroboration } from './corroboration.ts'
import type { EventPlace } from './event-place.ts'
import type { Prepared } from './prepared.ts'

/** An issue as it was before an occurrence. */
export interface IssueFacts {
  id: string
  status: string
  resolved_in: string | null
  fixed_in: string | null
  ignore_until: string | null
  first_seen: number
  last_seen: number
  times_seen: number
}

export interface Addition {
  issueId: string
  place: EventPlace
  before: IssueFacts | undefined
  seq: number
  newUsers: number
}

/**
 * Counts the occurrence. The newest event sets title, level and culprit; the oldest sets the first release. A doubt stays
 * as long as every event gives reason for it. A column that does not change is not set: SQLite writes the indexes of every
 * column that is.
 */
export async function updateIssue(prepare: Prepare, prepared: Prepared, addition: Addition): Promise<void> {
  const { issueId, place, before } = addition
  const { timestamp } = prepared.event
  if (before === undefined || timestamp >= before.last_seen) await addNewest(prepare, prepared, addition)
  else await prepare(`UPDATE issue SET ${counters} WHERE id = ?5`).send(...counted(prepared, addition))
  if (before === undefined || timestamp >= before.first_seen) return
  const first = prepare('UPDATE issue SET first_seen = ?, first_release_id = ? WHERE id = ?')
  await first.send(timestamp, place.releaseId, issueId)
}

const counters = `times_seen = times_seen + 1, users_affected = users_affected + ?1, last_seq = ?2,
  first_seq = CASE first_seq WHEN 0 THEN ?2 ELSE first_seq END,
  suspicious = CASE WHEN times_seen = 0 OR suspicious = 1 THEN ?3 ELSE suspicious END,
  contradicted = CASE WHEN times_seen = 0 OR contradicted = 1 THEN ?4 ELSE contradicted END`

function counted({ suspicious, contradicted }: Prepared, { issueId, seq, newUsers }: Addition) {
  return [newUsers, seq, suspicious ? 1 : 0, contradicted ? 1 : 0, issueId] as const
}

function addNewest(prepare: Prepare, prepared: Prepared, addition: Addition): Promise<void> {
  const { event, grouping, causes, signs } = prepared
  const { place } = addition
  return prepare(
    `UPDATE issue SET ${counters}, last_seen = ?6, title = ?7, type = ?8, value = ?9, culprit = ?10, level = ?11,
       platform = ?12, handled = ?13, causes = ?14, last_release_id = coalesce(nullif(?15, ''), last_release_id),
       corroboration = ?16 WHERE id = ?5`,
  ).send(
    ...counted(prepared, addition),
    event.timestamp,
    grouping.title,
    grouping.type,
    grouping.value,
    grouping.culprit,
    event.level,
    event.platform,
    event.handled ? 1 : 0,
    // The events of the issue that collects them have nothing in common.
    JSON.stringify(grouping.basis === 'overflow' ? [] : causes),
    place.releaseId,
    storedCorroboration(place.releaseId, signs),
  )
}
