import { sql } from 'kysely'
import type * as z from 'zod'
import type { FixedIn, IgnoreUntil, StillFiring } from '../../../../contract/base/issue-status.ts'
import { dayMs, timestamp } from '../../../shared/times.ts'
import type { Rows } from '../../../sql/database.ts'
import { readJson } from '../../../sql/json.ts'
import { commitRange, isSameCommit } from '../../../workspace/releases/commits.ts'
import { releaseNames, type ReleaseName } from '../../../workspace/releases/names.ts'
import { recordedOrigin } from '../../../workspace/releases/rules.ts'
import { StoredFixedIn, StoredIgnoreUntil, type StoredIssue } from '../columns.ts'

const firingAfterMs = 7 * dayMs
/** Without an occurrence for so long an issue is quiet (contract §10.3). */
export const quietAfterMs = 14 * dayMs

interface StatusRow {
  fixed_in: string | null
  ignore_until: string | null
  /** Of an issue as it is now; an entry of its history has none. */
  times_seen?: number
}

export interface StatusDetails {
  fixed_in?: z.input<typeof FixedIn>
  ignore_until?: z.input<typeof IgnoreUntil>
}

/** What ends the status of each row, in the same order; reads the releases that they name. */
export async function viewStatusDetails(
  rows: Rows,
  productId: number,
  statuses: readonly StatusRow[],
): Promise<StatusDetails[]> {
  const fixes = statuses.map((row) => (row.fixed_in === null ? undefined : readJson(StoredFixedIn, row.fixed_in)))
  const commits = new Set(fixes.flatMap((fix) => (fix?.kind === 'commit' ? fix.commit : [])))
  const byCommit = new Map<string, string>()
  for (const commit of commits) byCommit.set(commit, (await releaseWithCommit(rows, productId, commit)) ?? '')
  const named = fixes.flatMap((fix) => (fix?.kind === 'release' ? fix.release_id : []))
  const releases = await releaseNames(rows, [...named, ...byCommit.values()])
  return statuses.map((row, index) => {
    const fix = fixes[index]
    const id = fix?.kind === 'release' ? fix.release_id : fix?.kind === 'commit' ? (byCommit.get(fix.commit) ?? '') : ''
    return {
      ...(fix !== undefined && {
        fixed_in: {
          kind: fix.kind,
          release: viewRelease(releases.get(id)),
          commit: fix.kind === 'commit' ? fix.commit : '',
        },
      }),
      ...(row.ignore_until !== null && { ignore_until: viewIgnoring(row.ignore_until, row.times_seen) }),
    }
  })
}

/** The release as a member of a result, null without one. */
export function viewRelease(release: ReleaseName | undefined) {
  return release === undefined ? null : { id: release.id, version: release.version, known: release.known }
}

function viewIgnoring(stored: string, timesSeen: number | undefined): z.input<typeof IgnoreUntil> {
  const until = readJson(StoredIgnoreUntil, stored)
  if (until.kind === 'release') return { release: 'next' }
  if (until.kind === 'time') return { until: timestamp(until.until) }
  const { count, from } = until
  return { count, ...(timesSeen !== undefined && { remaining: Math.max(0, count - (timesSeen - from)) }) }
}

/** The id of the first known release of a commit, in whichever environment. */
export async function releaseWithCommit(rows: Rows, productId: number, commit: string): Promise<string | undefined> {
  const { from, below } = commitRange(commit)
  const found = await rows
    .selectFrom('release')
    .select(['id', 'commit_sha'])
    .where('product_id', '=', productId)
    .where('commit_sha', '>=', from)
    .where('commit_sha', '<', below)
    .where('commit_sha', '<>', '')
    .where(sql<boolean>`${sql.raw(recordedOrigin)}`)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return found.find((release) => isSameCommit(release.commit_sha, commit))?.id
}

/**
 * Set when occurrences that nothing shows to be older than the fix go on 7 days after the issue was resolved, and the issue
 * is not quiet (contract §10.3).
 */
export function viewFiring(
  issue: Pick<StoredIssue, 'status' | 'status_changed_at' | 'held_count' | 'held_last_at'>,
  now: number,
): { still_firing?: z.input<typeof StillFiring> } {
  const { status_changed_at: since } = issue
  if (since === null || !isFiring(issue, now)) return {}
  return { still_firing: { since: timestamp(since), events: issue.held_count } }
}

/** Whether `viewFiring` says that an issue still fires. */
export function isFiring({ status, status_changed_at: since, held_last_at: last }: Firing, now: number): boolean {
  if (status !== 'resolved' || since === null || last === null) return false
  return last >= since + firingAfterMs && last > now - quietAfterMs
}

type Firing = Pick<StoredIssue, 'status' | 'status_changed_at' | 'held_last_at'>
