import type { Selectable } from 'kysely'
import type { Rows } from '../../../sql/database.ts'
import { readJson } from '../../../sql/json.ts'
import type { VouchedIssueRow } from '../../../sql/schema.ts'
import { compareFixes, newestFor } from '../../../workspace/releases/fix-order.ts'
import type { OrderedRelease } from '../../../workspace/releases/release-order.ts'
import { ResolvedIn, StoredFixedIn } from '../columns.ts'
import { readReleases, readVouchedReleases, type ReadScope } from './gate-scope.ts'
import { releaseWithCommit } from './status-view.ts'

/** What is read of an issue to judge its fix. */
type Vouched = Pick<
  Selectable<VouchedIssueRow>,
  | 'issue_id'
  | 'status'
  | 'status_changed_at'
  | 'fixed_in'
  | 'resolved_in'
  | 'last_release_id'
  | 'regressed_at'
  | 'held_last_at'
>

/**
 * Which of the issues count as fixed in the scope, with the time (epoch milliseconds) from which they do: resolved with a
 * fix that the judged release has, and since that release came no vouched occurrence might have it. A release that a
 * vouched occurrence came from does not have the fix. Without a judged release the newest known release of each
 * environment counts, and the issue is silent in all releases: a release that somebody recorded need not be the one that
 * runs.
 */
export async function readFixed(
  rows: Rows,
  scope: Omit<ReadScope, 'now'>,
  issues: readonly Vouched[],
): Promise<Map<string, number>> {
  const claimed = issues.filter(hasFixClaim)
  if (claimed.length === 0) return new Map()
  const known = new Map<string, OrderedRelease[]>()
  for (const id of scope.environmentIds) known.set(id, await readVouchedReleases(rows, id))
  const fixes = await readFixes(rows, scope.productId, claimed)
  const contexts = readContexts(claimed)
  const newest = await readReleases(rows, [
    ...[...contexts.values()].flatMap((context) => Object.values(context)),
    ...claimed.map((one) => one.last_release_id),
  ])
  const places = await readPlaces(rows, claimed, scope.environmentIds)
  // Undefined: not fixed at any time.
  const fixedSince = (issue: Vouched): number | undefined => {
    const occurred = places.get(issue.issue_id)
    const environmentIds = occurred?.map((place) => place.environment_id) ?? scope.environmentIds
    const lastSeen = Math.max(0, ...(occurred ?? []).map((place) => place.last_seen))
    const fix = fixes.get(issue.issue_id)
    const last = newest.get(issue.last_release_id)
    const cameWithFix = fix !== undefined && last !== undefined && compareFixes(last, fix) >= 0
    if (environmentIds.length === 0 || cameWithFix) return undefined
    const arrivals = environmentIds.map((environmentId) => {
      const before = newest.get(contexts.get(issue.issue_id)?.[environmentId] ?? '')
      const judged = scope.release ?? newestFor(known.get(environmentId) ?? [], (fix ?? before)?.version ?? '')
      if (judged === undefined || !hasFix(judged, issue, fix, before)) return undefined
      const arrived = Math.max(issue.status_changed_at ?? 0, (fix ?? judged).released_at ?? (fix ?? judged).created_at)
      const isQuiet = isSilent(issue, arrived) && (scope.release !== undefined || lastSeen <= arrived)
      return isQuiet ? arrived : undefined
    })
    return arrivals.every((arrived) => arrived !== undefined) ? Math.max(...arrivals) : undefined
  }
  return new Map(
    claimed.flatMap((issue) => {
      const since = fixedSince(issue)
      return since === undefined ? [] : [[issue.issue_id, since] as const]
    }),
  )
}

/** Somebody says in what it is fixed. */
export function hasFixClaim({ status, fixed_in }: Pick<Vouched, 'status' | 'fixed_in'>): boolean {
  return status === 'resolved' && fixed_in !== null
}

/** By issue: the release of its fix, for those that name a release or the commit of a known one. */
async function readFixes(rows: Rows, productId: number, issues: readonly Vouched[]) {
  const ids = new Map<string, string>()
  for (const { issue_id: id, fixed_in } of issues) {
    const fixedIn = readJson(StoredFixedIn, fixed_in ?? '')
    if (fixedIn.kind === 'release') ids.set(id, fixedIn.release_id)
    if (fixedIn.kind === 'commit') ids.set(id, (await releaseWithCommit(rows, productId, fixedIn.commit)) ?? '')
  }
  const releases = await readReleases(rows, ids.values())
  return new Map([...ids].flatMap(([id, release]) => (releases.has(release) ? [[id, releases.get(release)!]] : [])))
}

/** By issue: the newest release of each environment when it was resolved. Issues that were resolved together share one. */
function readContexts(issues: readonly Vouched[]): Map<string, Readonly<Record<string, string>>> {
  const byText = new Map<string, Readonly<Record<string, string>>>()
  return new Map(
    issues.map(({ issue_id: id, resolved_in: stored }) => {
      const context = byText.get(stored ?? '') ?? (stored === null ? {} : readJson(ResolvedIn, stored))
      byText.set(stored ?? '', context)
      return [id, context]
    }),
  )
}

/** By issue: the environments of the scope in which it occurred, and when last. */
async function readPlaces(rows: Rows, issues: readonly Vouched[], environmentIds: readonly string[]) {
  const ids = issues.map(({ issue_id: id }) => id)
  const found = await rows
    .selectFrom('vouched_environment')
    .select(['issue_id', 'environment_id', 'last_seen'])
    .where(rows.dialect.isOneOf('issue_id', ids))
    .where(rows.dialect.isOneOf('environment_id', environmentIds))
    .execute()
  return Map.groupBy(found, (place) => place.issue_id)
}

/** The judged release has the fix: it is at or after it, or newer than all that were known when the issue was resolved. */
function hasFix(
  judged: OrderedRelease,
  { status_changed_at: resolvedAt }: Vouched,
  fix: OrderedRelease | undefined,
  newestBefore: OrderedRelease | undefined,
): boolean {
  if (fix !== undefined) return compareFixes(fix, judged) <= 0
  if (newestBefore !== undefined) return compareFixes(judged, newestBefore) > 0
  return judged.created_at > (resolvedAt ?? 0)
}

/** No vouched occurrence regressed since it was resolved, and none that might have the fix came after its release. */
function isSilent(
  { status_changed_at: resolvedAt, regressed_at: regressed, held_last_at: held }: Vouched,
  arrived: number,
) {
  return (regressed === null || regressed < (resolvedAt ?? 0)) && (held === null || held <= arrived)
}
