import * as z from 'zod'
import { IssueStatus } from '../src/contract/base/common.ts'
import { failures, ServiceError } from '../src/errors.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import { inBatches } from '../src/lib/batches.ts'
import { keyPrefix, mayBeId } from '../src/mcp/resolve/ids.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { shapeOf } from '../src/mcp/result/teach.ts'

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
  /** The issue was named by its key, so that the key stands for it in the result. */
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
    dry_run: z.boolean().optional(),
    rows: z.array(
      z.object({
        id: z.string(),
        short_id: z.string().optional(),
        outcome: z.enum(['changed', 'would_change', 'already', 'not_found', 'failed']),
        from: z.string().optional(),
        error: z.string().optional(),
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
    const undo = dryRun ? [] : undoCalls(rows, product?.id)
    return {
      answer: answerLine(rows, status, dryRun),
      product,
      data: {
        status,
        ...(dryRun && { dry_run: true }),
        rows: rows.map((row) => ({
          id: nameOf(row),
          ...(nameOf(row) !== row.shortId && { short_id: row.shortId }),
          outcome: row.outcome,
          from: row.from,
          ...(row.error !== undefined && { error: row.error }),
        })),
      },
      next: undo,
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
    // What is no id may be an outsider's text that was pasted: only its shape is told.
    const id = mayBeId(given) ? given : shapeOf(given)
    if (error instanceof ServiceError && error.code === 'not_found') return { id, outcome: 'not_found' }
    throw error
  }
}

/** The key where the caller used it, since it leads back to the issue; else the id. */
function nameOf({ id, shortId, byKey }: Row): string {
  return byKey === true && shortId !== undefined ? shortId : id
}

/** The same issue may have been named by id and by key. */
function distinct(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

/** One issue by its own endpoint, more by the bulk endpoint of their product; marks each row with what became of it. */
async function write(rows: readonly Row[], status: Status, note: string, context: Context): Promise<void> {
  const groups = Map.groupBy(
    rows.filter(({ outcome }) => outcome === 'would_change'),
    // Without a product there is no bulk endpoint: such an issue is a group of its own.
    ({ productId, id }) => productId ?? id,
  )
  for (const [, group] of groups) {
    try {
      const missing = await writeGroup(group, { status, note }, context)
      for (const row of group) row.outcome = missing.has(row.id) ? 'not_found' : 'changed'
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      // What happened to the others is worth more than the first error; only when nothing else happened it is the answer.
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
  return [...changed].flatMap(([from, group]) =>
    from === undefined
      ? []
      : [
          {
            tool: 'set_error_issue_status',
            why: 'undoes this change, if the user wants that',
            args: {
              ...(product !== undefined && { product }),
              issues: group.map(nameOf),
              status: from,
              reason: 'Undo of the previous change.',
            },
          },
        ],
  )
}

function answerLine(rows: readonly Row[], status: Status, dryRun: boolean): string {
  const count = (outcome: Outcome) => rows.filter((row) => row.outcome === outcome).length
  const parts: readonly [number, string][] = [
    [count('changed'), `changed to ${status}`],
    [count('would_change'), `would change to ${status}`],
    [count('already'), `already ${status}`],
    [count('not_found'), 'not found'],
    [count('failed'), 'failed'],
  ]
  const words = parts.filter(([number]) => number > 0).map(([number, what]) => `${String(number)} ${what}`)
  return `${dryRun ? 'Preview, nothing written: ' : ''}${words.join(', ')}.`
}
