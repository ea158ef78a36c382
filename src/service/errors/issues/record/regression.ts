import type { Platform } from '../../../shared/context.ts'
import type { Prepare } from '../../../sql/database.ts'
import { systemActor } from '../../../workspace/actor.ts'
import { judgeClosed, type ClosedIssue, type NewOccurrence, type Outcome } from './closed-issue.ts'
import type { KnownReleases } from './known-releases.ts'

export interface ReopeningTools {
  prepare: Prepare
  platform: Platform
  releases: KnownReleases
}

interface Reopening extends NewOccurrence {
  issue: ClosedIssue & { id: string }
  /** The product's setting: whether a regression reopens or only marks. */
  reopens: boolean
  /** What the occurrence means for the issue as vouched events tell it, which counts when it is more. */
  vouched: Outcome
}

/**
 * Handles a new occurrence of a resolved or ignored issue (contract §10.3), inside the caller's transaction: reopens it
 * when it regressed or its ignoring ended, with a history row by the system. For the gate it stays closed, and excluded,
 * until a vouched event or a member opens it (`record-vouched.ts`). `writeGathered` is called before the issue changes;
 * resolves to whether it did.
 */
export async function mayReopen(
  tools: ReopeningTools,
  occurrence: Reopening,
  writeGathered: () => Promise<void>,
): Promise<boolean> {
  const { prepare, platform, releases } = tools
  const { issue, place, reopens, vouched } = occurrence
  const now = platform.now()
  const isDecided = vouched === 'regressed' || vouched === 'ignore_ended'
  const outcome = isDecided ? vouched : await judgeClosed(issue, occurrence, { releases, now })
  if (outcome === 'held') {
    await prepare('UPDATE issue SET held_count = held_count + 1, held_last_at = ? WHERE id = ?').run(now, issue.id)
  }
  if (outcome !== 'regressed' && outcome !== 'ignore_ended') return false
  await writeGathered()
  if (outcome === 'ignore_ended') {
    await reopen(tools, issue, { reason: 'ignore_ended', isRegression: false })
    return true
  }
  if (place.releaseId !== '') {
    const insert = 'INSERT INTO issue_regression (release_id, issue_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    await prepare(insert).run(place.releaseId, issue.id, now)
  }
  if (reopens) await reopen(tools, issue, { reason: 'regression', isRegression: true })
  else await prepare('UPDATE issue SET is_regression = 1 WHERE id = ?').run(issue.id)
  return true
}

async function reopen(
  { prepare, platform }: ReopeningTools,
  { id, status }: Reopening['issue'],
  { reason, isRegression }: { reason: 'regression' | 'ignore_ended'; isRegression: boolean },
): Promise<void> {
  const now = platform.now()
  const actor = JSON.stringify(systemActor)
  await prepare(
    `UPDATE issue SET status = 'unresolved', is_regression = CASE WHEN ?1 = 1 THEN 1 ELSE is_regression END,
       reopened_count = reopened_count + 1,
       resolved_in = NULL, fixed_in = NULL, ignore_until = NULL, held_count = 0, held_last_at = NULL,
       status_changed_by = ?2, status_changed_at = ?3, status_note = '', version = version + 1 WHERE id = ?4`,
  ).run(isRegression ? 1 : 0, actor, now, id)
  await prepare(
    `INSERT INTO issue_history (id, issue_id, from_status, to_status, actor, at, reason)
     VALUES (?, ?, ?, 'unresolved', ?, ?, ?)`,
  ).run(platform.newId(), id, status, actor, now, reason)
}
