import type { Selectable } from 'kysely'
import type { Rows } from '../../../sql/database.ts'
import { readJson } from '../../../sql/json.ts'
import type { VouchedIssueRow } from '../../../sql/schema.ts'
import { compareFixes, newestFor } from '../../../workspace/releases/fix-order.ts'
import type { OrderedRelease } from '../../../workspace/releases/release-order.ts'
import { ResolvedIn, StoredFixedIn } from '../columns.ts'
import { readReleases, readVouchedReleases, type ReadScope } from './gate-scope.ts'
import { releaseWithCommit } from './status-view.ts'

type Vouched = Selectable<VouchedIssueRow>

/**
 * Which of the issues count as fixed in the scope: resolved with a fix that the judged release has, and since that
 * release came no vouched occurrence might have it. Without a judged release the newest known release of each
 * environment counts.
 */
export async function readFixed(rows: Rows, scope: ReadScope, issues: readonly Vouched[]): Promise<Set<string>> {
  const claimed = issues.filter(({ status, fixed_in }) => status === 'resolved' && fixed_in !== null)
  if (claimed.length === 0) return new Set()
  const known = new Map<string, OrderedRelease[]>()
  for (const id of scope.environmentIds) known.set(id, await readVouchedReleases(rows, id))
  const fixes = await readFixes(rows, scope.productId, claimed)
  const contexts = new Map(claimed.map((issue) => [issue.issue_id, readContext(issue)]))
  const newest = await readReleases(
    rows,
    [...contexts.values()].flatMap((context) => Object.values(context)),
  )
  const places = await readPlaces(rows, claimed, scope.environmentIds)
  const isFixed = (issue: Vouched) => {
    const environmentIds = places.get(issue.issue_id) ?? scope.environmentIds
    return (
      environmentIds.length > 0 &&
      environmentIds.every((environmentId) => {
        const fix = fixes.get(issue.issue_id)
        const before = newest.get(contexts.get(issue.issue_id)?.[environmentId] ?? '')
        const judged = scope.release ?? newestFor(known.get(environmentId) ?? [], (fix ?? before)?.version ?? '')
        return judged !== undefined && hasFix(judged, issue, fix, before) && isSilent(issue, fix ?? judged)
      })
    )
  }
  return new Set(claimed.filter(isFixed).map(({ issue_id: id }) => id))
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

function readContext({ resolved_in: stored }: Vouched): Readonly<Record<string, string>> {
  return stored === null ? {} : readJson(ResolvedIn, stored)
}

/** By issue: the environments of the scope in which it occurred. */
async function readPlaces(rows: Rows, issues: readonly Vouched[], environmentIds: readonly string[]) {
  const ids = issues.map(({ issue_id: id }) => id)
  const found = await rows
    .selectFrom('vouched_environment')
    .select(['issue_id', 'environment_id'])
    .where(rows.dialect.isOneOf('issue_id', ids))
    .where(rows.dialect.isOneOf('environment_id', environmentIds))
    .execute()
  const groups = Map.groupBy(found, (place) => place.issue_id)
  return new Map([...groups].map(([id, some]) => [id, some.map((place) => place.environment_id)]))
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

/** No vouched occurrence regressed since, and none that might have the fix came after its release. */
function isSilent(issue: Vouched, fix: OrderedRelease): boolean {
  const resolvedAt = issue.status_changed_at ?? 0
  const arrived = Math.max(resolvedAt, fix.released_at ?? fix.created_at)
  const { regressed_at: regressed, held_last_at: held } = issue
  return (regressed === null || regressed < resolvedAt) && (held === null || held <= arrived)
}
