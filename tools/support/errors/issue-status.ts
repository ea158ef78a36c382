import type * as z from 'zod'
import type { IssueStatus } from '../../../src/contract/base/common.ts'
import { failures, ServiceError } from '../../../src/errors.ts'
import { inBatches } from '../../../src/lib/batches.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { keyPrefix, mayBeId } from '../../../src/mcp/resolve/ids.ts'
import { describeValue, TeachingError } from '../../../src/mcp/result/teach.ts'
import { isTracegate } from '../is-tracegate.ts'
import type { Issue } from './issues.ts'
import { isAlready, readFixedIn, readIgnoreUntil, type StatusRequest } from './status-request.ts'

const READS_AT_ONCE = 8

export type Status = z.output<typeof IssueStatus>

export type Outcome = 'changed' | 'would_change' | 'already' | 'not_found' | 'failed'

/** An issue whose status is to be changed, and what happened to it. */
export interface IssueRow {
  /** As the caller wrote it, until the issue is read. */
  id: string
  /** The issue was named by its key, so the result names it by the key too. */
  byKey?: boolean
  shortId?: string | undefined
  productId?: string | undefined
  outcome: Outcome
  from?: Status | undefined
  /** As it was read, and as the service returned it after the change. */
  before?: Issue
  after?: Issue | undefined
  error?: string
}

/** Reads the issues as they are before the change; an issue that is named by id and by key is one row. */
export async function readRows(
  issues: readonly string[],
  product: string | undefined,
  context: Context,
): Promise<IssueRow[]> {
  const rows = await inBatches([...new Set(issues)], READS_AT_ONCE, (issue) => readRow(issue, product, context))
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

async function readRow(given: string, product: string | undefined, { resolve }: Context): Promise<IssueRow> {
  try {
    const { issue } = await resolve.issue(given, product)
    return {
      id: issue.id,
      shortId: issue.short_id,
      byKey: keyPrefix(given) !== undefined,
      productId: issue.product_id,
      outcome: 'would_change',
      from: issue.status,
      before: issue,
    }
  } catch (error) {
    // What is not an id may be an outsider's text that was pasted: only its shape is shown.
    const id = mayBeId(given) ? given : describeValue(given)
    if (error instanceof ServiceError && error.code === 'not_found') return { id, outcome: 'not_found' }
    throw error
  }
}

interface GivenStatus {
  status: Status
  fixed_in?: string | undefined
  ignore_until?: string | undefined
}

/**
 * The members of the request. Throws a `TeachingError` when they do not fit the status, or when a release is named and the
 * issues belong to several products.
 */
export async function readRequest(
  rows: readonly IssueRow[],
  { status, fixed_in: fixedIn, ignore_until: ignoreUntil }: GivenStatus,
  context: Context,
): Promise<StatusRequest> {
  if (fixedIn !== undefined && status !== 'resolved') throw misplaced('fixed_in', 'resolved', status)
  if (ignoreUntil !== undefined && status !== 'ignored') throw misplaced('ignore_until', 'ignored', status)
  if (ignoreUntil !== undefined) return { status, ignore_until: readIgnoreUntil(ignoreUntil) }
  if (fixedIn === undefined) return { status }
  const [product, ...others] = new Set(rows.flatMap(({ productId }) => productId ?? []))
  if (others.length > 0) {
    throw new TeachingError('invalid_argument', 'fixed_in names a release of one product', {
      sent: `issues of ${String(others.length + 1)} products`,
      expected: 'issues of one product in each call',
    })
  }
  return { status, fixed_in: await readFixedIn(fixedIn, product, context) }
}

function misplaced(name: string, fitting: Status, status: Status): TeachingError {
  return new TeachingError('invalid_argument', `${name} belongs to status ${fitting}`, {
    sent: `${name} with status ${status}`,
    expected: `status ${fitting}, or no ${name}`,
  })
}

/** Marks the rows that have what the request says already. */
export function markUnchanged(rows: readonly IssueRow[], request: StatusRequest): void {
  for (const row of rows) if (row.before !== undefined && isAlready(row.before, request)) row.outcome = 'already'
}

/**
 * Sets what each row would be after the change, without changing anything; only our own service can say it, as another
 * one might ignore `validate_only` and write.
 */
export async function previewStatus(
  rows: readonly IssueRow[],
  request: StatusRequest,
  note: string,
  context: Context,
): Promise<void> {
  const changing = rows.filter(({ outcome }) => outcome === 'would_change')
  if (changing.length === 0 || request.status === 'unresolved' || !(await isTracegate(context))) return
  for (const group of byProduct(changing)) await writeGroup(group, { ...request, note, validate_only: true }, context)
}

/**
 * Changes one issue by its own endpoint, more by the bulk endpoint of their product, and sets the outcome of each row.
 * Throws only when nothing was changed, also when it is too much for one caller without a person's confirmation.
 */
export async function changeStatus(
  rows: readonly IssueRow[],
  request: StatusRequest,
  note: string,
  context: Context,
): Promise<void> {
  const changing = rows.filter(({ outcome }) => outcome === 'would_change')
  context.countChanges(changing.map(({ id }) => id))
  for (const group of byProduct(changing)) {
    try {
      const missing = await writeGroup(group, { ...request, note }, context)
      for (const row of group) row.outcome = missing.has(row.id) ? 'not_found' : 'changed'
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      // The outcome of the others is worth more than the first error, which is thrown only when nothing else happened.
      if (rows.every((row) => row.outcome === 'would_change')) throw error
      for (const row of group) {
        row.outcome = 'failed'
        row.error = failures[error.code].agent
      }
    }
  }
}

/** Without a product there is no bulk endpoint: such an issue is its own group. */
function byProduct(rows: readonly IssueRow[]): readonly IssueRow[][] {
  return [...Map.groupBy(rows, ({ productId, id }) => productId ?? id).values()]
}

/** Sets `after` of each row. Resolves to the ids that the service did not find. */
async function writeGroup(
  group: readonly IssueRow[],
  change: StatusRequest & { note: string; validate_only?: boolean },
  { api, signal }: Context,
): Promise<ReadonlySet<string>> {
  const [first, ...others] = group
  if (first === undefined) return new Set()
  if (first.productId === undefined || others.length === 0) {
    first.after = (await api.setIssueStatus({ id: first.id, ...change }, { signal })).issue
    return new Set()
  }
  const ids = group.map(({ id }) => id)
  const answer = await api.bulkSetIssueStatus({ product_id: first.productId, issue_ids: ids, ...change }, { signal })
  const changed = new Map(answer.issues.map((issue) => [issue.id, issue]))
  for (const row of group) row.after = changed.get(row.id)
  return new Set(answer.not_found_ids)
}
