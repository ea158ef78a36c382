import { dayMs } from '../../../shared/times.ts'
import type { Rows } from '../../../sql/database.ts'
import { renewed } from '../../../sql/remembered.ts'
import { changedIssues, readIssueMarks, type IssueMarks } from '../../../workspace/issue-facts/marks.ts'
import type { ReadScope } from './gate-scope.ts'

/** Without a release an issue is new for so long (contract §7). */
export const newForMs = 7 * dayMs
/** Issues of each kind that only events with a public key speak of: strangers can make any number. */
export const MOST_UNVOUCHED = 1_000

export const newLevels: readonly string[] = ['fatal', 'error']

/** An issue that is new in an environment. */
export interface NewIssue {
  id: string
  first_seen: number
}

interface Found {
  /** Read before the issues were found. */
  marks: IssueMarks
  /** Epoch milliseconds: when they were found, and when the first of them is no longer new. */
  madeAt: number
  until: number
  issues: readonly NewIssue[]
}

/** Of an issue that was found. */
const FOUND_BYTES = 150

/**
 * The issues that any event says are new in a scope, found again only when an issue of the product has changed or the first of
 * them is no longer new (decision 094).
 */
export async function findNewAny(rows: Rows, scope: ReadScope): Promise<readonly NewIssue[]> {
  const { productId, releaseId, exposedIds, releaseIds, now } = scope
  const place = JSON.stringify([productId, releaseId, exposedIds, releaseIds])
  const kept = await renewed<{ last: Found }>(rows, `new issues of the gate in ${place}`, {
    renew: async (before) => ({ last: await renew(rows, scope, before?.last) }),
    size: ({ last }) => FOUND_BYTES * (last.issues.length + 1),
  })
  // Clocks of one state may differ.
  if (!holds(kept.last, now)) kept.last = await find(rows, scope)
  return kept.last.issues
}

function holds({ madeAt, until }: Found, now: number): boolean {
  return madeAt <= now && now < until
}

async function find(rows: Rows, scope: ReadScope): Promise<Found> {
  const marks = await readIssueMarks(rows, scope.productId)
  return found(scope, marks, await readNew(rows, scope))
}

function found(scope: ReadScope, marks: IssueMarks, issues: readonly NewIssue[]): Found {
  return { marks, madeAt: scope.now, until: newUntil(scope, issues), issues }
}

async function renew(rows: Rows, scope: ReadScope, before: Found | undefined): Promise<Found> {
  if (before === undefined || !holds(before, scope.now)) return find(rows, scope)
  const marks = await readIssueMarks(rows, scope.productId)
  const query = { since: before.marks, until: marks, follows: 'every change' } as const
  const changed = await changedIssues(rows, scope.productId, query)
  if (changed.length === 0) return { ...before, marks }
  const ids = new Set(changed)
  const others = before.issues.filter(({ id }) => !ids.has(id))
  const fresh = await readNew(rows, scope, changed)
  if (areSame(fresh, before.issues, ids)) return { ...before, marks }
  // Which ones of too many are found is up to the database.
  const isBounded = [before.issues.length, others.length + fresh.length].some((count) => count >= MOST_UNVOUCHED)
  return isBounded ? find(rows, scope) : found(scope, marks, [...others, ...fresh])
}

/** Whether the issues with these ids are among the new ones as before. */
function areSame(fresh: readonly NewIssue[], before: readonly NewIssue[], ids: ReadonlySet<string>): boolean {
  const text = (found: readonly NewIssue[]) =>
    found
      .map(({ id, first_seen: seen }) => `${id} ${String(seen)}`)
      .toSorted()
      .join()
  return text(fresh) === text(before.filter(({ id }) => ids.has(id)))
}

/** When the first of them is no longer new; in a release they stay new. */
export function newUntil({ releaseId }: Pick<ReadScope, 'releaseId'>, found: readonly NewIssue[]): number {
  if (releaseId !== '') return Infinity
  return newForMs + found.reduce((first, { first_seen: seen }) => Math.min(first, seen), Infinity)
}

/** Of these issues, or of all; at most 1,000. */
function readNew(rows: Rows, scope: ReadScope, ids?: readonly string[]): Promise<NewIssue[]> {
  return rows
    .selectFrom('issue_environment')
    .innerJoin('issue', 'issue.id', 'issue_environment.issue_id')
    .select(['issue.id', 'issue_environment.first_seen'])
    .where(rows.dialect.isOneOf('issue_environment.environment_id', scope.exposedIds))
    .where('issue.status', '=', 'unresolved')
    .where('issue.level', 'in', newLevels)
    .$if(ids !== undefined, (some) => some.where(rows.dialect.isOneOf('issue_environment.issue_id', ids ?? [])))
    .$if(scope.releaseId !== '', (of) =>
      of
        .where('issue_environment.first_release_id', '<>', '')
        .where(rows.dialect.isOneOf('issue_environment.first_release_id', scope.releaseIds)),
    )
    .$if(scope.releaseId === '', (of) => of.where('issue_environment.first_seen', '>', scope.now - newForMs))
    .limit(MOST_UNVOUCHED)
    .execute()
}
