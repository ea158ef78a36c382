import type { Platform } from '../../../shared/context.ts'
import type { Prepare } from '../../../sql/database.ts'
import { endExclusionsNow } from '../../../workspace/exclusions.ts'
import { ISSUE_KINDS } from '../exclusions.ts'
import { judgeClosed, type ClosedIssue, type NewOccurrence, type Outcome } from './closed-issue.ts'
import type { KnownReleases } from './known-releases.ts'

interface VouchingTools {
  prepare: Prepare
  platform: Platform
  vouchedReleases: KnownReleases
}

/** An occurrence that came with a server key. */
interface VouchedOccurrence extends NewOccurrence {
  issueId: string
  timestamp: number
  level: string
  title: string
  type: string
  /** The product's setting: whether a regression reopens or only marks. */
  reopens: boolean
}

type VouchedFacts = ClosedIssue & { last_seen: number }

/**
 * Adds an occurrence to what is vouched for of its issue, inside the caller's transaction: first seen, release,
 * environment, status (decision 057). Returns what it means for a closed issue. Occurrences with a public key never come
 * here, so they change none of it.
 */
export async function recordVouched(tools: VouchingTools, occurrence: VouchedOccurrence): Promise<Outcome> {
  const { prepare, platform, vouchedReleases } = tools
  const before = await prepare(
    `SELECT status, resolved_in, fixed_in, ignore_until, times_seen, last_seen FROM vouched_issue WHERE issue_id = ?`,
  ).get<VouchedFacts>(occurrence.issueId)
  if (before === undefined) await insert(tools, occurrence)
  else await update(prepare, platform.now(), before, occurrence)
  await countEnvironment(prepare, occurrence)
  if (before === undefined || before.status === 'unresolved') return 'stays'
  const outcome = await judgeClosed(before, occurrence, { releases: vouchedReleases, now: platform.now() })
  await apply(tools, occurrence, outcome)
  return outcome
}

function insert({ prepare, platform }: VouchingTools, occurrence: VouchedOccurrence): Promise<unknown> {
  const { issueId, productId, title, type, level, timestamp, place } = occurrence
  return prepare(
    `INSERT INTO vouched_issue (issue_id, product_id, vouched_by, started_at, title, type, level, last_seen,
       last_release_id, times_seen, status) VALUES (?, ?, 'server_key', ?, ?, ?, ?, ?, ?, 1, 'unresolved')`,
  ).run(issueId, productId, platform.now(), title, type, level, timestamp, place.releaseId)
}

/** The newest vouched occurrence sets title and level, and the first one after a member's act all of them. */
async function update(
  prepare: Prepare,
  now: number,
  before: VouchedFacts,
  occurrence: VouchedOccurrence,
): Promise<void> {
  const { issueId, title, type, level, timestamp, place } = occurrence
  await prepare(
    `UPDATE vouched_issue SET vouched_by = 'server_key', started_at = coalesce(started_at, ?1), times_seen = times_seen + 1
     WHERE issue_id = ?2`,
  ).run(now, issueId)
  if (before.times_seen > 0 && timestamp < before.last_seen) return
  await prepare(
    `UPDATE vouched_issue SET title = ?, type = ?, level = ?, last_seen = ?,
       last_release_id = coalesce(nullif(?, ''), last_release_id) WHERE issue_id = ?`,
  ).run(title, type, level, timestamp, place.releaseId, issueId)
}

/** The oldest vouched occurrence in an environment decides which release brought the issue there (decision 039). */
function countEnvironment(prepare: Prepare, { issueId, place, timestamp }: VouchedOccurrence): Promise<unknown> {
  return prepare(
    `INSERT INTO vouched_environment (issue_id, environment_id, first_seen, last_seen, first_release_id)
     VALUES (?1, ?2, ?3, ?3, ?4)
     ON CONFLICT (issue_id, environment_id) DO UPDATE SET
       first_release_id = CASE WHEN ?3 < vouched_environment.first_seen THEN ?4 ELSE vouched_environment.first_release_id END,
       first_seen = CASE WHEN ?3 < vouched_environment.first_seen THEN ?3 ELSE vouched_environment.first_seen END,
       last_seen = CASE WHEN ?3 > vouched_environment.last_seen THEN ?3 ELSE vouched_environment.last_seen END`,
  ).run(issueId, place.environmentId, timestamp, place.releaseId)
}

async function apply(
  { prepare, platform }: VouchingTools,
  occurrence: VouchedOccurrence,
  outcome: Outcome,
): Promise<void> {
  const { issueId, place, reopens } = occurrence
  const now = platform.now()
  if (outcome === 'held') {
    const held = 'UPDATE vouched_issue SET held_count = held_count + 1, held_last_at = ? WHERE issue_id = ?'
    await prepare(held).run(now, issueId)
  }
  if (outcome === 'regressed') {
    await prepare('UPDATE vouched_issue SET regressed_at = ? WHERE issue_id = ?').run(now, issueId)
    await prepare(
      'UPDATE vouched_environment SET regressed_at = ?, regressed_release_id = ? WHERE issue_id = ? AND environment_id = ?',
    ).run(now, place.releaseId, issueId, place.environmentId)
  }
  if (outcome === 'ignore_ended' || (outcome === 'regressed' && reopens)) {
    await prepare(
      `UPDATE vouched_issue SET status = 'unresolved', status_changed_at = ?, resolved_in = NULL, fixed_in = NULL,
         ignore_until = NULL, held_count = 0, held_last_at = NULL WHERE issue_id = ?`,
    ).run(now, issueId)
    await endExclusionsNow(prepare, issueId, ISSUE_KINDS, now)
  }
}
