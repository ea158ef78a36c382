import { sql } from 'kysely'
import type * as z from 'zod'
import { IssueStatus, Level } from '../../../../contract/base/common.ts'
import type { Rows } from '../../../sql/database.ts'
import { renewed, weighAgain } from '../../../sql/remembered.ts'
import { hasFixClaim } from './gate-fixes.ts'
import { changedIssues, readIssueMarks, type IssueMarks } from '../../../workspace/issue-facts/marks.ts'

/** An issue as a gate judges it; titles are outsiders' text. */
export interface GateIssue {
  id: string
  /** SHOP-31 */
  key: string
  title: string
  level: z.output<typeof Level>
  status: z.output<typeof IssueStatus>
  componentId: string
  /** Who speaks for the issue being real: events with a server key, or a member's own act; '' = neither. */
  vouchedBy: 'server_key' | 'member' | ''
  /** First seen in the scope, by what vouched events say, and by what any event says. */
  isNew: boolean
  isNewUnvouched: boolean
  /** Came back after it was resolved, by vouched events, and by any event. */
  isRegressed: boolean
  isRegressedUnvouched: boolean
  /** A member closed it, and only events that nothing vouches for reopened it. */
  reopenedUnvouched: boolean
  /** Resolved with a fix at or before the judged release, and silent since. */
  isFixed: boolean
  /** Resolved, and vouched events of releases that have the fix go on. */
  stillFiring: boolean
}

/** What is known of an issue at any time and in any scope. */
export interface KnownIssue {
  /** Its facts while nothing is true of it in a scope, and while it is only fixed there. */
  open: GateIssue
  fixed: GateIssue
  number: number
  /** Whether it may count as fixed in a scope. */
  claimsFix: boolean
  /** How exclusions name it: by what any event says. */
  name: { key: string; title: string }
  stored: StoredIssue
}

/** The issues of these ids, perhaps among others. */
export type KnownIssues = (ids: Iterable<string>) => Promise<ReadonlyMap<string, KnownIssue>>

interface Kept {
  marks: IssueMarks
  /** As they were when the marks were read, or later. */
  issues: Map<string, KnownIssue>
}

/** Of an issue, with its place in the map. */
const ISSUE_BYTES = 1_000

/**
 * What verdicts read of issues, kept until an issue changes (decision 094). Ask for it before anything else is read, and
 * for issues afterwards: none is older than this call.
 */
export async function knownIssues(rows: Rows, productId: number): Promise<KnownIssues> {
  const name = `issues of the gate in ${String(productId)}`
  const size = (kept: Kept) => ISSUE_BYTES * (kept.issues.size + 1)
  const kept = await renewed<Kept>(rows, name, { renew: (before) => renew(rows, productId, before), size })
  const { issues } = kept
  return async (ids) => {
    const missing: string[] = []
    for (const id of ids) if (!issues.has(id)) missing.push(id)
    if (missing.length === 0) return issues
    for (const issue of await readIssues(rows, productId, missing)) issues.set(issue.open.id, issue)
    weighAgain(rows, name, kept, size(kept))
    return issues
  }
}

/** Whoever reads an earlier state may still add to its map, even an issue that has changed: then there is a new map. */
async function renew(rows: Rows, productId: number, before: Kept | undefined): Promise<Kept> {
  const marks = await readIssueMarks(rows, productId)
  if (before === undefined) return { marks, issues: new Map() }
  const query = { since: before.marks, until: marks, follows: 'every change' } as const
  const changed = await changedIssues(rows, productId, query)
  if (changed.length === 0) return before
  const issues = new Map(before.issues)
  for (const id of changed) issues.delete(id)
  return { marks, issues }
}

/** An issue with what vouched events and members say of it, where they say anything. */
function storedIssues(rows: Rows, ids: readonly string[]) {
  return rows
    .selectFrom('issue')
    .leftJoin('vouched_issue as vouched', 'vouched.issue_id', 'issue.id')
    .select((eb) => [
      'issue.id as issue_id',
      'issue.product_id',
      'issue.number',
      'issue.component_id',
      'issue.title as any_title',
      'issue.level as any_level',
      eb.fn.coalesce('vouched.title', 'issue.title').as('title'),
      eb.fn.coalesce('vouched.level', 'issue.level').as('level'),
      eb.fn.coalesce('vouched.status', 'issue.status').as('status'),
      eb.fn.coalesce('vouched.last_release_id', sql<string>`''`).as('last_release_id'),
      'vouched.vouched_by',
      'vouched.status_changed_at',
      'vouched.fixed_in',
      'vouched.resolved_in',
      'vouched.regressed_at',
      'vouched.held_last_at',
    ])
    .where(rows.dialect.isOneOf('issue.id', ids))
}

export type StoredIssue = Awaited<ReturnType<ReturnType<typeof storedIssues>['execute']>>[number]

async function readIssues(rows: Rows, productId: number, ids: readonly string[]): Promise<KnownIssue[]> {
  // With the product as a condition SQLite would go through all of its issues, even for one id.
  const found = (await storedIssues(rows, ids).execute()).filter((issue) => issue.product_id === productId)
  const { key_prefix: prefix } = await rows
    .selectFrom('product')
    .select('key_prefix')
    .where('id', '=', productId)
    .executeTakeFirstOrThrow()
  return found.map((stored) => {
    const { issue_id: id, number, title, component_id: componentId, vouched_by: by } = stored
    const open: GateIssue = {
      id,
      key: `${prefix}-${String(number)}`,
      title,
      level: Level.parse(stored.level),
      status: IssueStatus.parse(stored.status),
      componentId,
      vouchedBy: by === null || by === '' ? '' : by === 'server_key' ? 'server_key' : 'member',
      isNew: false,
      isNewUnvouched: false,
      isRegressed: false,
      isRegressedUnvouched: false,
      reopenedUnvouched: false,
      isFixed: false,
      stillFiring: false,
    }
    const name = { key: open.key, title: stored.any_title }
    return { open, fixed: { ...open, isFixed: true }, number, claimsFix: hasFixClaim(stored), name, stored }
  })
}
