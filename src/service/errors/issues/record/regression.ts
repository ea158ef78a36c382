import type { Platform } from '../../../shared/context.ts'
import type { Prepare } from '../../../sql/database.ts'
import { readJson } from '../../../sql/json.ts'
import { endExclusionsNow } from '../../../workspace/exclusions.ts'
import { systemActor } from '../../../workspace/actor.ts'
import { ResolvedIn, StoredFixedIn, StoredIgnoreUntil, type IgnoreUntil } from '../columns.ts'
import { ISSUE_KINDS } from '../exclusions.ts'
import type { EventPlace } from './event-place.ts'
import type { KnownReleases, OriginRelease } from './known-releases.ts'
import { judge, type Fix, type Occurred } from './reopens.ts'

export interface ReopeningTools {
  prepare: Prepare
  platform: Platform
  releases: KnownReleases
}

interface ReopeningIssue {
  id: string
  status: string
  resolved_in: string | null
  fixed_in: string | null
  ignore_until: string | null
  times_seen: number
}

interface NewOccurrence {
  productId: number
  /** As it was before the occurrence. */
  issue: ReopeningIssue
  place: EventPlace
  namesRelease: boolean
  /** The product's setting: whether a regression reopens or only marks. */
  reopens: boolean
}

/**
 * Handles a new occurrence of a resolved or ignored issue (contract §10.3), inside the caller's transaction: reopens it
 * when it regressed or its ignoring ended, with a history row by the system.
 */
export function mayReopen(tools: ReopeningTools, occurrence: NewOccurrence): void {
  const { issue } = occurrence
  if (issue.status === 'resolved') return mayRegress(tools, occurrence)
  if (issue.ignore_until === null) return
  if (hasEnded(readJson(StoredIgnoreUntil, issue.ignore_until), tools, occurrence)) {
    reopen(tools, issue, { reason: 'ignore_ended', isRegression: false })
  }
}

function mayRegress(tools: ReopeningTools, occurrence: NewOccurrence): void {
  const { prepare, platform } = tools
  const { issue, place, reopens } = occurrence
  const judgement = judge(readFix(tools, occurrence), occurred(tools, occurrence))
  if (judgement === 'older') return
  if (judgement === 'unproven') {
    prepare('UPDATE issue SET held_count = held_count + 1, held_last_at = ? WHERE id = ?').run(platform.now(), issue.id)
    return
  }
  if (place.releaseId !== '') {
    prepare('INSERT INTO issue_regression (release_id, issue_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING').run(
      place.releaseId,
      issue.id,
      platform.now(),
    )
  }
  if (reopens) reopen(tools, issue, { reason: 'regression', isRegression: true })
  else prepare('UPDATE issue SET is_regression = 1 WHERE id = ?').run(issue.id)
}

function reopen(
  { prepare, platform }: ReopeningTools,
  { id, status }: ReopeningIssue,
  { reason, isRegression }: { reason: 'regression' | 'ignore_ended'; isRegression: boolean },
): void {
  const now = platform.now()
  const actor = JSON.stringify(systemActor)
  prepare(
    `UPDATE issue SET status = 'unresolved', is_regression = CASE WHEN ?1 = 1 THEN 1 ELSE is_regression END,
       reopened_count = reopened_count + 1,
       resolved_in = NULL, fixed_in = NULL, ignore_until = NULL, held_count = 0, held_last_at = NULL,
       status_changed_by = ?2, status_changed_at = ?3, status_note = '', version = version + 1 WHERE id = ?4`,
  ).run(isRegression ? 1 : 0, actor, now, id)
  prepare(
    `INSERT INTO issue_history (id, issue_id, from_status, to_status, actor, at, reason)
     VALUES (?, ?, ?, 'unresolved', ?, ?, ?)`,
  ).run(platform.newId(), id, status, actor, now, reason)
  endExclusionsNow(prepare, id, ISSUE_KINDS, now)
}

/** Whether the occurrence ends the ignoring: the one beyond the count, after the time, or in a newer known release. */
function hasEnded(until: IgnoreUntil, tools: ReopeningTools, occurrence: NewOccurrence): boolean {
  if (until.kind === 'count') return occurrence.issue.times_seen + 1 - until.from > until.count
  if (until.kind === 'time') return tools.platform.now() >= until.until
  const newest = newestThen(tools, until.newest, occurrence.place)
  return judge({ kind: 'next', newest }, occurred(tools, occurrence)) === 'reopens'
}

function readFix(tools: ReopeningTools, { issue, place, productId }: NewOccurrence): Fix {
  const { releases } = tools
  const context = issue.resolved_in === null ? {} : readJson(ResolvedIn, issue.resolved_in)
  const newest = newestThen(tools, context, place)
  if (issue.fixed_in === null) return { kind: 'plain', newest }
  const fixedIn = readJson(StoredFixedIn, issue.fixed_in)
  if (fixedIn.kind === 'next') return { kind: 'next', newest }
  const release =
    fixedIn.kind === 'release' ? releases.find(fixedIn.release_id) : releases.withCommit(productId, fixedIn.commit)
  return release === undefined ? { kind: 'next', newest } : { kind: 'release', release }
}

/** The newest known release that the environment of the occurrence had at the time of the status. */
function newestThen(
  { releases }: ReopeningTools,
  context: Readonly<Record<string, string>>,
  place: EventPlace,
): OriginRelease | undefined {
  const id = context[place.environmentId]
  return id === undefined ? undefined : releases.find(id)
}

function occurred({ releases }: ReopeningTools, { place, namesRelease }: NewOccurrence): Occurred {
  return {
    namesRelease,
    release: place.releaseId === '' ? undefined : releases.find(place.releaseId),
    known: () => releases.list(place.environmentId),
  }
}
