import type * as z from 'zod'
import type { IssueStatus } from '../../../src/contract/base/common.ts'
import { failures, ServiceError } from '../../../src/errors.ts'
import { inBatches } from '../../../src/lib/batches.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { keyPrefix, mayBeId } from '../../../src/mcp/resolve/ids.ts'
import { describeValue } from '../../../src/mcp/result/teach.ts'

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
  error?: string
}

/** Reads the issues as they are before the change; an issue that is named by id and by key is one row. */
export async function readRows(
  issues: readonly string[],
  product: string | undefined,
  status: Status,
  context: Context,
): Promise<IssueRow[]> {
  const rows = await inBatches([...new Set(issues)], READS_AT_ONCE, (issue) => readRow(issue, product, status, context))
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

async function readRow(
  given: string,
  product: string | undefined,
  status: Status,
  { resolve }: Context,
): Promise<IssueRow> {
  try {
    const { issue } = await resolve.issue(given, product)
    return {
      id: issue.id,
      shortId: issue.short_id,
      byKey: keyPrefix(given) !== undefined,
      productId: issue.product_id,
      outcome: issue.status === status ? 'already' : 'would_change',
      from: issue.status,
    }
  } catch (error) {
    // What is not an id may be an outsider's text that was pasted: only its shape is shown.
    const id = mayBeId(given) ? given : describeValue(given)
    if (error instanceof ServiceError && error.code === 'not_found') return { id, outcome: 'not_found' }
    throw error
  }
}

/**
 * Changes one issue by its own endpoint, more by the bulk endpoint of their product, and sets the outcome of each row.
 * Throws only when nothing was changed, also when it is too much for one caller without a person's confirmation.
 */
export async function changeStatus(
  rows: readonly IssueRow[],
  status: Status,
  note: string,
  context: Context,
): Promise<void> {
  const changing = rows.filter(({ outcome }) => outcome === 'would_change')
  context.countChanges(changing.map(({ id }) => id))
  const groups = Map.groupBy(
    changing,
    // Without a product there is no bulk endpoint: such an issue is its own group.
    ({ productId, id }) => productId ?? id,
  )
  for (const [, group] of groups) {
    try {
      const missing = await writeGroup(group, { status, note }, context)
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

/** Resolves to the ids that the service did not find. */
async function writeGroup(
  group: readonly IssueRow[],
  change: { status: Status; note: string },
  { api, signal }: Context,
): Promise<ReadonlySet<string>> {
  const [first, ...others] = group
  if (first === undefined) return new Set()
  if (first.productId === undefined || others.length === 0) {
    await api.setIssueStatus({ id: first.id, ...change }, { signal })
    return new Set()
  }
  const ids = group.map(({ id }) => id)
  const answer = await api.bulkSetIssueStatus({ product_id: first.productId, issue_ids: ids, ...change }, { signal })
  return new Set(answer.not_found_ids)
}
