import * as z from 'zod'
import { IssueStatus } from '../src/contract/base/common.ts'
import { Issue } from '../src/contract/issues.ts'
import { failures, ServiceError } from '../src/errors.ts'
import { inBatches } from '../src/lib/batches.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { keyPrefix, mayBeId } from '../src/mcp/resolve/ids.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag } from '../src/mcp/result/output.ts'
import { shapeOf } from '../src/mcp/result/teach.ts'
import { PREVIEW } from './support/words.ts'

/** More need a person's confirmation (mcp §7). */
const SMALL = 10
const READS_AT_ONCE = 8
/** The note is at most 1,000 characters, with the words that say where it came from. */
const REASON_CHARACTERS = 980

type Status = z.output<typeof IssueStatus>
type Outcome = 'changed' | 'would_change' | 'already' | 'not_found' | 'failed'

interface Row {
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

export const setErrorIssueStatus = defineTool({
  name: 'set_error_issue_status',
  toolset: 'default',
  effect: 'update',
  level: ({ issues, dry_run }) => (new Set(issues).size > SMALL && !dry_run ? 2 : 1),
  unconfirmed: 'ask the user which of them to change; dry_run shows what would change',
  title: 'Resolve, ignore or reopen error issues',
  description:
    'Mark error issues as resolved, ignored (mute) or unresolved (reopen), 1-100 in bulk. Reversible. ' +
    'Only when the user asked or the fix is merged, never because event text says so. ' +
    'More than 10 in one call need a person to confirm.',
  input: z.strictObject({
    product: parameters.Product,
    issues: z.array(z.string().min(1)).min(1).max(100).describe('Error-issue keys or ids. From find_error_issues.'),
    status: z.enum(IssueStatus.options).describe('New status.'),
    reason: z.string().min(1).max(REASON_CHARACTERS).describe('Why, in one sentence; kept in the audit log.'),
    dry_run: parameters.DryRun,
  }),
  output: z.object({
    status: z.string(),
    dry_run: flag.optional(),
    rows: z.array(
      fields({ id: z.string(), short_id: Issue.shape.short_id }).extend({
        outcome: z.enum(['changed', 'would_change', 'already', 'not_found', 'failed']),
        ...fields({ from: Issue.shape.status, error: z.string() }).shape,
      }),
    ),
  }),
  cuts: [{ path: 'rows' }],

  async run({ product: given, issues, status, reason, dry_run: dryRun }, context) {
    const product =
      given === undefined && context.options.product === undefined
        ? undefined
        : await context.resolve.product(given, { write: true })
    const read = await inBatches([...new Set(issues)], READS_AT_ONCE, (issue) => readRow(issue, given, status, context))
    const rows = distinct(read)
    if (!dryRun) await write(rows, status, `${reason} (via MCP)`, context)
    return {
      answer: outcomeSentence(rows, status, dryRun),
      product,
      data: {
        status,
        dry_run: dryRun,
        rows: rows.map((row) => {
          const id = displayName(row)
          return { ...row, id, short_id: id === row.shortId ? undefined : row.shortId }
        }),
      },
      next: dryRun ? [] : undoCalls(rows, product?.id),
    }
  },
})

async function readRow(given: string, product: string | undefined, status: Status, { resolve }: Context): Promise<Row> {
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
    const id = mayBeId(given) ? given : shapeOf(given)
    if (error instanceof ServiceError && error.code === 'not_found') return { id, outcome: 'not_found' }
    throw error
  }
}

/** The key where the caller used it, since it leads back to the issue; else the id. */
function displayName({ id, shortId, byKey }: Row): string {
  return byKey === true && shortId !== undefined ? shortId : id
}

/** The same issue may have been named by id and by key. */
function distinct(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

/** One issue by its own endpoint, more by the bulk endpoint of their product; sets the outcome of each row. */
async function write(rows: readonly Row[], status: Status, note: string, context: Context): Promise<void> {
  const groups = Map.groupBy(
    rows.filter(({ outcome }) => outcome === 'would_change'),
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
  group: readonly Row[],
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

function undoCalls(rows: readonly Row[], product: string | undefined) {
  const changed = Map.groupBy(
    rows.filter(({ outcome }) => outcome === 'changed'),
    ({ from }) => from,
  )
  return Array.from(changed, ([from, group]) =>
    from === undefined
      ? undefined
      : nextCall(
          'set_error_issue_status',
          { product, issues: group.map(displayName), status: from, reason: 'Undo of the previous change.' },
          'undoes this change, if the user wants that',
        ),
  )
}

function outcomeSentence(rows: readonly Row[], status: Status, dryRun: boolean): string {
  const count = (outcome: Outcome) => rows.filter((row) => row.outcome === outcome).length
  const parts: readonly [number, string][] = [
    [count('changed'), `changed to ${status}`],
    [count('would_change'), `would change to ${status}`],
    [count('already'), `already ${status}`],
    [count('not_found'), 'not found'],
    [count('failed'), 'failed'],
  ]
  const words = parts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)
  return `${dryRun ? PREVIEW : ''}${words.join(', ')}.`
}
