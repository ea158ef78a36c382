import type { Selectable } from 'kysely'
import type * as z from 'zod'
import { IssueStatus, Level } from '../../../../contract/base/common.ts'
import { dayMs } from '../../../shared/times.ts'
import type { Rows } from '../../../sql/database.ts'
import type { IssueRow, VouchedIssueRow } from '../../../sql/schema.ts'
import { fixColumns, readFixed } from './gate-fixes.ts'
import { isAtOrBefore, readReleases, readScope, type IssueScope, type ReadScope } from './gate-scope.ts'
import { viewFiring } from './status-view.ts'

/** Without a release an issue is new for so long (contract §7). */
const newForMs = 7 * dayMs
/** Issues of each kind that only events with a public key speak of: strangers can make any number. */
const MOST_UNVOUCHED = 1_000

const newLevels: readonly string[] = ['fatal', 'error']

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
  const scope = await readScope(rows, issueScope)
  const regressed = await findRegressed(rows, scope)
  const regressedAny = await findRegressedAny(rows, scope)
  const found: Found = {
    newVouched: await findNew(rows, scope),
    newAny: await findNewAny(rows, scope),
    regressedVouched: regressed.inScope,
    regressedUnvouched: regressedAny.difference(regressed.anyRelease),
    reopened: await findReopened(rows, scope),
  }
  const ids = [...Object.values(found), await findFiring(rows, scope), scope.alsoIds ?? []].flatMap((some) => [...some])
  const issues = await readIssues(rows, scope.productId, [...new Set(ids)])
  const vouched = await readVouched(rows, issues)
  const fixed = await readFixed(rows, scope, [...vouched.values()])
  const { key_prefix: prefix } = await rows
    .selectFrom('product')
    .select('key_prefix')
    .where('id', '=', scope.productId)
    .executeTakeFirstOrThrow()
  return issues.map((issue) => ({
    id: issue.id,
    key: `${prefix}-${issue.number}`,
    ...judgedFacts(issue, vouched.get(issue.id), { scope, found }),
    isFixed: fixed.has(issue.id),
  }))
}

function judgedFacts(
  issue: StoredFacts,
  vouched: Vouched | undefined,
  { scope, found }: { scope: ReadScope; found: Found },
): Omit<GateIssue, 'id' | 'key' | 'isFixed'> {
  const { title, level, status } = vouched ?? issue
  const isVouched = vouched !== undefined && vouched.vouched_by !== ''
  const isNew = isVouched && found.newVouched.has(issue.id) && newLevels.includes(level)
  const isRegressed = isVouched && found.regressedVouched.has(issue.id)
  return {
    title,
    level: Level.parse(level),
    status: IssueStatus.parse(status),
    componentId: issue.component_id,
    vouchedBy: vouched?.vouched_by === 'server_key' ? 'server_key' : isVouched ? 'member' : '',
    isNew,
    isNewUnvouched: !isNew && found.newAny.has(issue.id) && newLevels.includes(issue.level),
    isRegressed,
    isRegressedUnvouched: !isRegressed && found.regressedUnvouched.has(issue.id),
    reopenedUnvouched: found.reopened.has(issue.id),
    stillFiring: vouched !== undefined && viewFiring(vouched, scope.now).still_firing !== undefined,
  }
}

async function findNew(rows: Rows, scope: ReadScope): Promise<Set<string>> {
  const found = await rows
    .selectFrom('vouched_environment')
    .select('issue_id')
    .where(rows.dialect.isOneOf('environment_id', scope.exposedIds))
    .$if(scope.releaseId !== '', (of) =>
      of.where('first_release_id', '<>', '').where(rows.dialect.isOneOf('first_release_id', scope.releaseIds)),
    )
    .$if(scope.releaseId === '', (of) => of.where('first_seen', '>', scope.now - newForMs))
    .execute()
  return new Set(found.map((row) => row.issue_id))
}

async function findNewAny(rows: Rows, scope: ReadScope): Promise<Set<string>> {
  const found = await rows
    .selectFrom('issue_environment')
    .innerJoin('issue', 'issue.id', 'issue_environment.issue_id')
    .select('issue.id')
    .where(rows.dialect.isOneOf('issue_environment.environment_id', scope.exposedIds))
    .where('issue.status', '=', 'unresolved')
    .where('issue.level', 'in', newLevels)
    .$if(scope.releaseId !== '', (of) =>
      of
        .where('issue_environment.first_release_id', '<>', '')
        .where(rows.dialect.isOneOf('issue_environment.first_release_id', scope.releaseIds)),
    )
    .$if(scope.releaseId === '', (of) => of.where('issue_environment.first_seen', '>', scope.now - newForMs))
    .limit(MOST_UNVOUCHED)
    .execute()
  return new Set(found.map((row) => row.id))
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
  return new Set(found.map((row) => row.id))
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
  return new Set(found.map((row) => row.id))
}

/** Resolved issues with vouched occurrences that might have the fix; a few of them fire still. */
async function findFiring(rows: Rows, scope: ReadScope): Promise<string[]> {
  const found = await rows
    .selectFrom('vouched_issue')
    .select(['issue_id', 'status', 'status_changed_at', 'held_count', 'held_last_at'])
    .where('product_id', '=', scope.productId)
    .where('held_last_at', 'is not', null)
    .execute()
  return found.filter((row) => viewFiring(row, scope.now).still_firing !== undefined).map((row) => row.issue_id)
}

const factColumns = ['id', 'number', 'title', 'level', 'status', 'component_id'] as const
type StoredFacts = Pick<Selectable<IssueRow>, (typeof factColumns)[number]>
const vouchedColumns = [...fixColumns, 'title', 'level', 'vouched_by', 'held_count'] as const
type Vouched = Pick<Selectable<VouchedIssueRow>, (typeof vouchedColumns)[number]>

async function readIssues(rows: Rows, productId: number, ids: readonly string[]): Promise<StoredFacts[]> {
  return rows
    .selectFrom('issue')
    .select(factColumns)
    .where('product_id', '=', productId)
    .where(rows.dialect.isOneOf('id', ids))
    .orderBy('number')
    .execute()
}

async function readVouched(rows: Rows, issues: readonly StoredFacts[]): Promise<Map<string, Vouched>> {
  const ids = issues.map(({ id }) => id)
  const found = await rows
    .selectFrom('vouched_issue')
    .select(vouchedColumns)
    .where(rows.dialect.isOneOf('issue_id', ids))
    .execute()
  return new Map(found.map((row) => [row.issue_id, row]))
}
