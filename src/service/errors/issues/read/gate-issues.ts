import type { Rows } from '../../../sql/database.ts'
import { remembered, rememberedUntil } from '../../../sql/remembered.ts'
import { readFixed } from './gate-fixes.ts'
import { findNewAny, MOST_UNVOUCHED, newForMs, newLevels, newUntil, type NewIssue } from './gate-new.ts'
import { knownIssues, type GateIssue, type KnownIssue } from './gate-known.ts'
import { isAtOrBefore, readReleases, readScope, type IssueScope, type ReadScope } from './gate-scope.ts'
import { isFiring } from './status-view.ts'

/** Ids of issues by what is known of them in a scope. */
interface Found {
  newVouched: ReadonlySet<string>
  newAny: ReadonlySet<string>
  regressedVouched: ReadonlySet<string>
  regressedUnvouched: ReadonlySet<string>
  reopened: ReadonlySet<string>
}

/**
 * The issues that matter in a scope (contract §10.6), by key: new, regressed, still firing after they were resolved,
 * reopened by events that nothing vouches for, and `alsoIds`. The members without `Unvouched` follow from what members
 * and events with a server key said alone. Reads only these issues, of the unvouched ones at most 1,000 of each kind.
 */
export async function readGateIssues(rows: Rows, issueScope: IssueScope): Promise<GateIssue[]> {
  // Before everything that is read: what another commit changes meanwhile is read again by the next call. Fixes follow
  // from what is known of issues, so they are the first.
  const fixes = await knownFixes(rows, issueScope)
  const known = await knownIssues(rows, issueScope.productId)
  const scope = await readScope(rows, issueScope)
  const [found, firing] = await Promise.all([
    rememberedUntil(rows, `issues found for the gate in ${scopeName(scope)}`, {
      now: scope.now,
      compute: () => findIssues(rows, scope),
    }),
    findFiring(rows, scope),
  ])
  const special = new Set(firing)
  for (const some of Object.values(found)) for (const id of some) special.add(id)
  const ids = new Set(special)
  for (const id of scope.alsoIds ?? []) ids.add(id)
  const byId = await known(ids)
  const issues: KnownIssue[] = []
  for (const id of ids) {
    const issue = byId.get(id)
    if (issue !== undefined) issues.push(issue)
  }
  await addFixes(rows, scope, fixes, issues)
  return issues
    .toSorted((one, other) => one.number - other.number)
    .map((issue) => at(issue, { scope, found, special, fixes }))
}

/** What is found, until the first of the new ones is no longer new. */
async function findIssues(rows: Rows, scope: ReadScope): Promise<{ answer: Found; until: number }> {
  const [regressed, regressedAny, newVouched, newAny, reopened] = await Promise.all([
    findRegressed(rows, scope),
    findRegressedAny(rows, scope),
    findNew(rows, scope),
    findNewAny(rows, scope),
    findReopened(rows, scope),
  ])
  const answer = {
    newVouched: allIds(newVouched),
    newAny: allIds(newAny),
    regressedVouched: regressed.inScope,
    regressedUnvouched: regressedAny.difference(regressed.anyRelease),
    reopened,
  }
  return { answer, until: Math.min(newUntil(scope, newVouched), newUntil(scope, newAny)) }
}

interface Scoped {
  scope: ReadScope
  found: Found
  special: ReadonlySet<string>
  fixes: Fixes
}

/**
 * The facts of an issue in a scope at a time. Most issues are not `special`: they are fixed or not, and callers share these
 * facts.
 */
function at({ open, fixed, claimsFix, stored }: KnownIssue, { scope, found, special, fixes }: Scoped): GateIssue {
  const { id } = open
  const facts = claimsFix && (fixes.get(id) ?? Infinity) <= scope.now ? fixed : open
  if (!special.has(id)) return facts
  const isVouched = open.vouchedBy !== ''
  const isNew = isVouched && found.newVouched.has(id) && newLevels.includes(open.level)
  const isRegressed = isVouched && found.regressedVouched.has(id)
  return {
    ...facts,
    isNew,
    isNewUnvouched: !isNew && found.newAny.has(id) && newLevels.includes(stored.any_level),
    isRegressed,
    isRegressedUnvouched: !isRegressed && found.regressedUnvouched.has(id),
    reopenedUnvouched: found.reopened.has(id),
    stillFiring: stored.vouched_by !== null && isFiring(stored, scope.now),
  }
}

/** By issue, the time from which it counts as fixed in a scope: of those with a claim, asked for in one state (decision 093). */
type Fixes = Map<string, number>

function knownFixes(rows: Rows, scope: IssueScope): Promise<Fixes> {
  return remembered(rows, `fixes of the gate in ${placeName(scope)}`, async () => new Map())
}

function placeName({ productId, releaseId, environmentId }: IssueScope): string {
  return `${String(productId)} ${releaseId} ${environmentId}`
}

/** With what its ids led to: a commit may have changed that since it was read, and the answer is of the state after it. */
function scopeName(scope: ReadScope): string {
  const { environmentIds, exposedIds, release, releaseIds } = scope
  return JSON.stringify([placeName(scope), environmentIds, exposedIds, release, releaseIds])
}

async function addFixes(rows: Rows, scope: ReadScope, fixes: Fixes, issues: readonly KnownIssue[]): Promise<void> {
  const missing = issues.flatMap(({ claimsFix, stored }) => (claimsFix && !fixes.has(stored.issue_id) ? [stored] : []))
  if (missing.length === 0) return
  const found = await readFixed(rows, scope, missing)
  for (const { issue_id: id } of missing) fixes.set(id, found.get(id) ?? Infinity)
}

function allIds(found: readonly { id: string }[]): Set<string> {
  return new Set(found.map(({ id }) => id))
}

function findNew(rows: Rows, scope: ReadScope): Promise<NewIssue[]> {
  return rows
    .selectFrom('vouched_environment')
    .select(['issue_id as id', 'first_seen'])
    .where(rows.dialect.isOneOf('environment_id', scope.exposedIds))
    .$if(scope.releaseId !== '', (of) =>
      of.where('first_release_id', '<>', '').where(rows.dialect.isOneOf('first_release_id', scope.releaseIds)),
    )
    .$if(scope.releaseId === '', (of) => of.where('first_seen', '>', scope.now - newForMs))
    .execute()
}

/** Those that came back in the scope, at or before the judged release or in any release, and are open since. */
async function findRegressed(rows: Rows, scope: ReadScope): Promise<{ inScope: Set<string>; anyRelease: Set<string> }> {
  const found = await rows
    .selectFrom('vouched_issue')
    .innerJoin('vouched_environment as place', 'place.issue_id', 'vouched_issue.issue_id')
    .select(['place.issue_id', 'place.environment_id', 'place.regressed_release_id'])
    .where('vouched_issue.product_id', '=', scope.productId)
    .where('vouched_issue.regressed_at', 'is not', null)
    .where('vouched_issue.status', '=', 'unresolved')
    .where('place.regressed_at', 'is not', null)
    .execute()
  const isScoped = scope.releaseId !== '' || scope.environmentId !== ''
  const here = found.filter((row) => !isScoped || scope.environmentIds.includes(row.environment_id))
  const releases = await readReleases(
    rows,
    here.map((row) => row.regressed_release_id),
  )
  const before = here.filter((row) => isAtOrBefore(releases.get(row.regressed_release_id), scope.release))
  const ids = (some: typeof here) => new Set(some.map((row) => row.issue_id))
  return { inScope: ids(before), anyRelease: ids(here) }
}

/** Those that came back in the scope's environments in any release, by any event. */
async function findRegressedAny(rows: Rows, scope: ReadScope): Promise<Set<string>> {
  const found = await rows
    .selectFrom('issue')
    .innerJoin('issue_environment as place', 'place.issue_id', 'issue.id')
    .select('issue.id')
    .distinct()
    .where('issue.product_id', '=', scope.productId)
    .where('issue.is_regression', '=', 1)
    .where('issue.status', '=', 'unresolved')
    .where(rows.dialect.isOneOf('place.environment_id', scope.environmentIds))
    .limit(MOST_UNVOUCHED)
    .execute()
  return allIds(found)
}

async function findReopened(rows: Rows, scope: ReadScope): Promise<Set<string>> {
  const found = await rows
    .selectFrom('issue')
    .innerJoin('vouched_issue', 'vouched_issue.issue_id', 'issue.id')
    .select('issue.id')
    .where('issue.product_id', '=', scope.productId)
    .where('issue.reopened_count', '>', 0)
    .where('issue.status', '=', 'unresolved')
    .where('vouched_issue.status', '<>', 'unresolved')
    .limit(MOST_UNVOUCHED)
    .execute()
  return allIds(found)
}

/** Resolved issues with vouched occurrences that might have the fix; a few of them fire still. */
async function findFiring(rows: Rows, scope: ReadScope): Promise<string[]> {
  const found = await rows
    .selectFrom('vouched_issue')
    .select(['issue_id', 'status', 'status_changed_at', 'held_last_at'])
    .where('product_id', '=', scope.productId)
    .where('held_last_at', 'is not', null)
    .execute()
  return found.filter((row) => isFiring(row, scope.now)).map((row) => row.issue_id)
}
