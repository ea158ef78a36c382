import type { Bindable, Prepare } from '../../../sql/database.ts'
import { storedCorroboration } from './corroboration.ts'
import type { EventPlace } from './event-place.ts'
import type { IssueFacts } from './together/known-rows.ts'
import type { NewOccurrence } from './together/new-occurrences.ts'
import type { Prepared } from './prepared.ts'

export interface Addition {
  /** Of the issue as it is with all events before this one; changed by it. */
  facts: IssueFacts
  place: EventPlace
  occurrence: NewOccurrence
  isNewUser: boolean
}

/** Gathers what the events of a transaction change on their issues; each issue is written once. */
export interface IssueChanges {
  add(prepared: Prepared, addition: Addition): void
  /** Sends what was gathered so far and clears it. Call it when the occurrences are written. */
  write(): Promise<void>
}

interface Change {
  issueId: string
  events: number
  newUsers: number
  occurrences: NewOccurrence[]
  suspicious: boolean
  contradicted: boolean
  /** Set where one of the events happened before all others of the issue. */
  oldest: { timestamp: number; releaseId: string } | undefined
  /** The event that sets the title and the level, with the newest release that was named. */
  newest: { prepared: Prepared; place: EventPlace; releaseId: string } | undefined
}

/** Valid for one transaction. */
export function createIssueChanges(prepare: Prepare): IssueChanges {
  const changes = new Map<string, Change>()
  return {
    add(prepared, addition) {
      const { id } = addition.facts
      changes.set(id, changed(changes.get(id), prepared, addition))
    },
    async write() {
      const gathered = [...changes.values()]
      changes.clear()
      await writeChanges(prepare, gathered)
    },
  }
}

/**
 * The newest event sets title, level and culprit; the oldest sets the first release. A doubt stays as long as every event
 * gives reason for it.
 */
function changed(known: Change | undefined, prepared: Prepared, addition: Addition): Change {
  const { facts, place, occurrence, isNewUser } = addition
  const { timestamp } = prepared.event
  const isNewest = facts.times_seen === 0 || timestamp >= facts.last_seen
  const isOldest = facts.times_seen > 0 && timestamp < facts.first_seen
  const newest = { prepared, place, releaseId: place.releaseId || (known?.newest?.releaseId ?? '') }
  facts.times_seen += 1
  facts.first_seen = Math.min(facts.first_seen, timestamp)
  facts.last_seen = Math.max(facts.last_seen, timestamp)
  return {
    issueId: facts.id,
    events: (known?.events ?? 0) + 1,
    newUsers: (known?.newUsers ?? 0) + (isNewUser ? 1 : 0),
    occurrences: [...(known?.occurrences ?? []), occurrence],
    suspicious: known?.suspicious !== false && prepared.suspicious,
    contradicted: known?.contradicted !== false && prepared.contradicted,
    oldest: isOldest ? { timestamp, releaseId: place.releaseId } : known?.oldest,
    newest: isNewest ? newest : known?.newest,
  }
}

/** A column that does not change is not set: SQLite writes the indexes of every column that is. */
async function writeChanges(prepare: Prepare, changes: readonly Change[]): Promise<void> {
  const older = changes.filter(({ newest }) => newest === undefined)
  await prepare(`UPDATE issue SET ${counters} WHERE id = ?5`).sendEach(older.map(counted))
  await prepare(
    `UPDATE issue SET ${counters}, last_seen = ?8, title = ?9, type = ?10, value = ?11, culprit = ?12, level = ?13,
       platform = ?14, handled = ?15, causes = ?16, last_release_id = coalesce(nullif(?17, ''), last_release_id),
       corroboration = ?18 WHERE id = ?5`,
  ).sendEach(changes.flatMap((change) => (change.newest ? [[...counted(change), ...newestFacts(change.newest)]] : [])))
  await prepare('UPDATE issue SET first_seen = ?, first_release_id = ? WHERE id = ?').sendEach(
    changes.flatMap(({ issueId, oldest }) => (oldest ? [[oldest.timestamp, oldest.releaseId, issueId]] : [])),
  )
}

const counters = `times_seen = times_seen + ?6, users_affected = users_affected + ?1, last_seq = ?2,
  first_seq = CASE first_seq WHEN 0 THEN ?7 ELSE first_seq END,
  suspicious = CASE WHEN times_seen = 0 OR suspicious = 1 THEN ?3 ELSE suspicious END,
  contradicted = CASE WHEN times_seen = 0 OR contradicted = 1 THEN ?4 ELSE contradicted END`

function counted({ suspicious, contradicted, newUsers, events, issueId, occurrences }: Change): Bindable[] {
  const seqs = occurrences.map(({ seq }) => seq)
  const [first, last] = [Math.min(...seqs), Math.max(...seqs)]
  return [newUsers, last, suspicious ? 1 : 0, contradicted ? 1 : 0, issueId, events, first]
}

function newestFacts({ prepared, place, releaseId }: NonNullable<Change['newest']>): Bindable[] {
  const { event, grouping, causes, signs } = prepared
  return [
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
    releaseId,
    storedCorroboration(place.releaseId, signs),
  ]
}
