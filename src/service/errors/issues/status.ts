import type * as z from 'zod'
import type { Actor, IssueStatus } from '../../../contract/base/common.ts'
import { audit } from '../../workspace/audit.ts'
import type { Call } from '../../shared/context.ts'
import { orderReleases } from '../../workspace/releases/release-order.ts'
import { isKnownEnvironment } from '../../workspace/releases/rules.ts'
import type { Rows } from '../../sql/database.ts'
import type { StoredIssue } from './columns.ts'

export interface StatusChange {
  status: z.output<typeof IssueStatus>
  note: string
  reason: 'manual' | 'bulk'
}

/**
 * The value of `resolved_in` for each of the issues if it were resolved now, as JSON: the newest release of every
 * environment that the issue occurred in or that is known. Other environments are left out because anyone's events can
 * create them. For an event from one of those there is no release to compare with, so it reopens the issue.
 */
export async function releaseContexts(
  rows: Rows,
  productId: number,
  issueIds: readonly string[],
): Promise<Map<string, string>> {
  const present = await environmentsWith(rows, issueIds)
  const environments = await rows
    .selectFrom('environment')
    .select(['id', 'name', 'origin'])
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .execute()
  const known = new Set(environments.filter(isKnownEnvironment).map(({ id }) => id))
  const alive = new Set(environments.map(({ id }) => id))
  const wanted = new Set([...known, ...[...present.values()].flat().filter((id) => alive.has(id))])
  const newest = await newestReleases(rows, [...wanted])
  return new Map(
    issueIds.map((id) => {
      const places = new Set([...known, ...(present.get(id) ?? [])])
      return [id, JSON.stringify(Object.fromEntries(newest.filter(([environmentId]) => places.has(environmentId))))]
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
  const byIssue = Map.groupBy(places, (place) => place.issue_id)
  return new Map([...byIssue].map(([id, some]) => [id, some.map((place) => place.environment_id)]))
}

/** Pairs of environment and newest release; one environment at a time, as each may have thousands of releases. */
async function newestReleases(rows: Rows, environmentIds: readonly string[]): Promise<[string, string][]> {
  const newest: [string, string][] = []
  for (const environmentId of environmentIds) {
    const releases = await rows
      .selectFrom('release')
      .select(['id', 'version', 'released_at', 'created_at'])
      .where('environment_id', '=', environmentId)
      .execute()
    const release = orderReleases(releases).at(-1)
    if (release !== undefined) newest.push([environmentId, release.id])
  }
  return newest
}

/**
 * Gives the issue a status inside the caller's transaction, with actor, history and audit (contract §10.3); returns
 * false and writes nothing when it already has that status. Resolving stores `context` (`releaseContexts`), which later
 * decides what counts as a regression, and clears an earlier regression.
 */
export async function changeStatus(
  rows: Rows,
  call: Pick<Call, 'actor' | 'now' | 'newId'>,
  issue: StoredIssue,
  { status, note, reason, context }: StatusChange & { context: string },
): Promise<boolean> {
  if (issue.status === status) return false
  const at = call.now()
  const actor = JSON.stringify(call.actor satisfies z.input<typeof Actor>)
  await rows
    .updateTable('issue')
    .set({
      status,
      status_changed_by: actor,
      status_changed_at: at,
      status_note: note,
      resolved_in: status === 'resolved' ? context : null,
      is_regression: status === 'resolved' ? 0 : issue.is_regression,
      version: issue.version + 1,
    })
    .where('id', '=', issue.id)
    .execute()
  const change = { issue_id: issue.id, from_status: issue.status, to_status: status, actor, at, note, reason }
  await rows
    .insertInto('issue_history')
    .values({ id: call.newId(), ...change })
    .execute()
  await audit(rows, call, {
    verb: 'set_status',
    resourceType: 'issue',
    resourceId: issue.id,
    before: { status: issue.status, note: issue.status_note },
    after: { status, note },
  })
  return true
}
