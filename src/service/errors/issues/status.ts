import { sql } from 'kysely'
import type * as z from 'zod'
import type { Actor, IssueStatus } from '../../../contract/base/common.ts'
import { audit } from '../../workspace/audit.ts'
import { nextFactsRevision } from '../../workspace/issue-facts/revision.ts'
import type { Writing } from '../../shared/context.ts'
import { newestFor } from '../../workspace/releases/fix-order.ts'
import type { OrderedRelease } from '../../workspace/releases/release-order.ts'
import { isKnownEnvironment, recordedOrigin } from '../../workspace/releases/rules.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import { releaseNames } from '../../workspace/releases/names.ts'
import { StoredIgnoreUntil, type FixedIn, type IgnoreUntil, type StoredIssue } from './columns.ts'
import { keepClosed, vouchForIssue } from './vouching.ts'

export interface StatusChange {
  status: z.output<typeof IssueStatus>
  note: string
  reason: 'manual' | 'bulk'
  /** Of a resolved status. */
  fixedIn?: FixedIn | undefined
  /** Of an ignored status. */
  ignore?: IgnoreRequest | undefined
}

/** What ends the ignoring, without what the service adds when it begins. */
export type IgnoreRequest = { kind: 'count'; count: number } | { kind: 'time'; until: number } | { kind: 'release' }

/**
 * For each of the issues the newest known release of every environment that it occurred in or that is known, as environment
 * id -> release id. Other environments are left out because anyone's events can create them. Where an environment has
 * releases of several packages, those of the issue's own package count. With `vouched`, what events with a public key
 * have named does not count.
 */
export async function releaseContexts(
  rows: Rows,
  productId: number,
  issues: readonly Pick<StoredIssue, 'id' | 'last_release_id'>[],
  by: 'all' | 'vouched' = 'all',
): Promise<Map<string, Record<string, string>>> {
  const ids = issues.map(({ id }) => id)
  const present = await (by === 'all' ? environmentsWith(rows, ids) : vouchedEnvironmentsWith(rows, ids))
  const environments = await rows
    .selectFrom('environment')
    .select(['id', 'name', 'origin'])
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .execute()
  const usual = new Set(environments.filter(isKnownEnvironment).map(({ id }) => id))
  const alive = new Set(environments.map(({ id }) => id))
  const wanted = new Set([...usual, ...[...present.values()].flat().filter((id) => alive.has(id))])
  const releases = await readKnownReleases(rows, [...wanted], by)
  const versions = await releaseNames(
    rows,
    issues.map((issue) => issue.last_release_id),
  )
  return new Map(
    issues.map(({ id, last_release_id: last }) => {
      const places = new Set([...usual, ...(present.get(id) ?? [])])
      const version = versions.get(last)?.version ?? ''
      const newest = [...releases].flatMap(([environmentId, all]) => {
        const release = places.has(environmentId) ? newestFor(all, version) : undefined
        return release === undefined ? [] : [[environmentId, release.id] as const]
      })
      return [id, Object.fromEntries(newest)]
    }),
  )
}

/** The environments that each issue occurred in. */
async function environmentsWith(rows: Rows, issueIds: readonly string[]): Promise<Map<string, string[]>> {
  const places = await rows
    .selectFrom('issue_presence')
    .select(['issue_id', 'environment_id'])
    .distinct()
    .where('issue_id', 'in', issueIds)
    .execute()
  return byIssue(places)
}

async function vouchedEnvironmentsWith(rows: Rows, issueIds: readonly string[]): Promise<Map<string, string[]>> {
  const places = await rows
    .selectFrom('vouched_environment')
    .select(['issue_id', 'environment_id'])
    .where('issue_id', 'in', issueIds)
    .execute()
  return byIssue(places)
}

function byIssue(places: readonly { issue_id: string; environment_id: string }[]): Map<string, string[]> {
  const groups = Map.groupBy(places, (place) => place.issue_id)
  return new Map([...groups].map(([id, some]) => [id, some.map((place) => place.environment_id)]))
}

/** Known releases by environment; one environment at a time, as each may have thousands. */
async function readKnownReleases(rows: Rows, environmentIds: readonly string[], by: 'all' | 'vouched') {
  const byEnvironment = new Map<string, OrderedRelease[]>()
  for (const environmentId of environmentIds) {
    const releases = await rows
      .selectFrom('release')
      .select(['id', 'version', 'released_at'])
      .select(by === 'all' ? 'created_at' : sql<number>`coalesce(vouched_at, created_at)`.as('created_at'))
      .where('environment_id', '=', environmentId)
      .where(sql<boolean>`${sql.raw(recordedOrigin)}`)
      .$if(by === 'vouched', (known) => known.where('vouched_at', 'is not', null))
      .execute()
    byEnvironment.set(environmentId, releases)
  }
  return byEnvironment
}

/** A change with the releases of the time: as all events name them, and as vouched ones do. */
interface ContextChange extends StatusChange {
  context: Readonly<Record<string, string>>
  vouchedContext: Readonly<Record<string, string>>
}

/**
 * Gives the issue a status inside the caller's transaction, with actor, history and audit (contract §10.3); returns
 * false and writes nothing when it already has that status with the same `fixed_in` or `ignore_until`. Resolving stores
 * `context` (`releaseContexts`), which later decides what counts as a regression, and clears an earlier regression. What
 * is vouched for follows (decision 057): `unresolved` vouches for the issue even when it has that status already.
 */
export async function changeStatus(
  rows: Rows,
  call: Writing,
  issue: StoredIssue,
  change: ContextChange,
): Promise<boolean> {
  const { status, note, reason, context } = change
  const ends = {
    fixed_in: change.fixedIn === undefined ? null : JSON.stringify(change.fixedIn),
    ignore_until: change.ignore === undefined ? null : JSON.stringify(startIgnoring(change.ignore, issue, context)),
  }
  const isSame = issue.status === status && issue.fixed_in === ends.fixed_in && isSameIgnoring(issue, change.ignore)
  if (status === 'unresolved') {
    const vouched = await vouchForIssue(rows, call, issue)
    if (isSame && vouched) await recordVouching(rows, call, issue, note)
  }
  if (isSame) return false
  const at = call.now()
  const actor = JSON.stringify(call.actor satisfies z.input<typeof Actor>)
  await rows
    .updateTable('issue')
    .set({
      status,
      ...ends,
      status_changed_by: actor,
      status_changed_at: at,
      status_note: note,
      resolved_in: status === 'resolved' ? JSON.stringify(context) : null,
      held_count: 0,
      held_last_at: null,
      is_regression: status === 'resolved' ? 0 : issue.is_regression,
      version: issue.version + 1,
      facts_revision: nextFactsRevision,
    })
    .where('id', '=', issue.id)
    .execute()
  await keepVouched(rows, issue, { ...change, at })
  const entry = { issue_id: issue.id, from_status: issue.status, to_status: status, actor, at, note, reason, ...ends }
  await rows
    .insertInto('issue_history')
    .values({ id: call.newId(), ...entry })
    .execute()
  await audit(rows, call, {
    verb: 'set_status',
    resourceType: 'issue',
    resourceId: issue.id,
    before: describeStatus(issue, issue.status_note),
    after: describeStatus({ status, ...ends }, note),
  })
  return true
}

/** Gives what is vouched for the same status. */
async function keepVouched(rows: Rows, issue: StoredIssue, change: ContextChange & { at: number }): Promise<void> {
  const { status, ignore, fixedIn, vouchedContext, at } = change
  await keepClosed(rows, issue, {
    status,
    status_changed_at: at,
    resolved_in: status === 'resolved' ? JSON.stringify(vouchedContext) : null,
    fixed_in: fixedIn === undefined ? null : JSON.stringify(fixedIn),
    ignore_until: ignore === undefined ? null : JSON.stringify(startIgnoring(ignore, issue, vouchedContext)),
  })
}

/** A member says of an unresolved issue that it is: its history and its etag stay (contract §10.3). */
async function recordVouching(rows: Rows, call: Writing, issue: StoredIssue, note: string): Promise<void> {
  const before = describeStatus(issue, note)
  const after = { ...before, vouched_by: 'member' }
  await audit(rows, call, { verb: 'vouch', resourceType: 'issue', resourceId: issue.id, before, after })
}

/** What the audit compares. */
function describeStatus(
  { status, fixed_in, ignore_until }: Pick<StoredIssue, 'status' | 'fixed_in' | 'ignore_until'>,
  note: string,
) {
  return { status, note, ...(fixed_in !== null && { fixed_in }), ...(ignore_until !== null && { ignore_until }) }
}

function startIgnoring(
  ignore: IgnoreRequest,
  issue: StoredIssue,
  context: Readonly<Record<string, string>>,
): IgnoreUntil {
  if (ignore.kind === 'count') return { ...ignore, from: issue.times_seen }
  return ignore.kind === 'time' ? ignore : { kind: 'release', newest: context }
}

/** Whether the issue is ignored until the same as in the request; where its counting began makes no difference. */
function isSameIgnoring(issue: StoredIssue, wanted: IgnoreRequest | undefined): boolean {
  if (issue.ignore_until === null || wanted === undefined) return issue.ignore_until === null && wanted === undefined
  const given = readJson(StoredIgnoreUntil, issue.ignore_until)
  if (given.kind === 'count') return wanted.kind === 'count' && given.count === wanted.count
  if (given.kind === 'time') return wanted.kind === 'time' && given.until === wanted.until
  return wanted.kind === 'release'
}
