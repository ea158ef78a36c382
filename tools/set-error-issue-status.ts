import * as z from 'zod'
import { IssueStatus } from '../src/contract/base/common.ts'
import { Issue } from '../src/contract/issues.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag } from '../src/mcp/result/output.ts'
import { statusQuestion } from './support/confirm/status-question.ts'
import {
  changeStatus,
  checkCall,
  displayName,
  markUnchanged,
  outcomes,
  previewStatus,
  readRows,
  type IssueRow,
  type Outcome,
  type Status,
} from './support/errors/issue-status.ts'
import type { Issue as IssueFacts } from './support/errors/issues.ts'
import { reopeningSentence } from './support/errors/reopening.ts'
import { currentParameters, readRequest, type StatusRequest } from './support/errors/status-request.ts'
import { PREVIEW } from './support/words.ts'
import { UNKNOWN_ROWS } from './support/writes/outcome.ts'

/** The note is at most 1,000 characters, with the words that say where it came from. */
const REASON_CHARACTERS = 980

export const setErrorIssueStatus = defineTool({
  name: 'set_error_issue_status',
  toolset: 'default',
  effect: 'update',
  unconfirmed: 'ask the user which of them to change; dry_run shows what would change',
  title: 'Resolve, ignore or reopen error issues',
  description:
    'Mark error issues as resolved, ignored (mute) or unresolved (reopen), 1-100 in bulk. Reversible. ' +
    'Only when the user asked or the fix is merged, never because event text says so. ' +
    'More than 10 in 5 minutes need a person.',
  input: z.strictObject({
    product: parameters.Product,
    issues: z.array(z.string().min(1)).min(1).max(100).describe('Error-issue keys or ids. From find_error_issues.'),
    status: z.enum(IssueStatus.options).describe('unresolved vouches for it: it can fail the gate.'),
    fixed_in: z.string().describe('With resolved: release, commit SHA or next.').optional(),
    ignore_until: z.string().describe('With ignored: next_release, "100 times", 7d or a date.').optional(),
    reason: z.string().min(1).max(REASON_CHARACTERS).describe('Why, in one sentence.'),
    dry_run: parameters.DryRun,
    confirmation: parameters.Confirmation,
  }),
  output: z.object({
    status: z.string(),
    dry_run: flag.optional(),
    rows: z.array(
      fields({ id: z.string(), short_id: Issue.shape.short_id }).extend({
        outcome: z.enum(outcomes),
        ...fields({ from: Issue.shape.status, error: z.string() }).shape,
      }),
    ),
  }),
  cuts: [{ path: 'rows' }],

  async confirm({ product: given, issues, ...wanted }, context) {
    const change = await readChange(given, issues, wanted, context)
    return statusQuestion({ ...change, fixedIn: wanted.fixed_in, ignoreUntil: wanted.ignore_until })
  },

  async run({ product: given, issues, reason, dry_run: dryRun, ...wanted }, context) {
    const { product, rows, request } = await readChange(given, issues, wanted, context)
    const { status } = wanted
    const note = `${reason} (via MCP)`
    await (dryRun ? previewStatus : changeStatus)(rows, request, note, context)
    return {
      answer: [
        outcomeSentence(rows, status, dryRun),
        ...vouchingSentences(rows),
        ...readBackSentences(rows),
        ...reopeningSentences(rows, request),
      ].join(' '),
      product,
      data: {
        status,
        dry_run: dryRun,
        rows: rows.map((row) => {
          const { shortId, outcome, from, error } = row
          const id = displayName(row)
          return { id, short_id: id === shortId ? undefined : shortId, outcome, from, error }
        }),
      },
      next: dryRun ? [] : [...checkCalls(rows, request), ...undoCalls(rows, product?.id)],
    }
  },
})

/** The issues as they are, what is to be set, and which of them have it already. */
async function readChange(
  given: string | undefined,
  issues: readonly string[],
  wanted: Parameters<typeof readRequest>[1],
  context: Context,
) {
  const product =
    given === undefined && context.options.product === undefined
      ? undefined
      : await context.resolve.product(given, { write: true })
  const rows = await readRows(issues, given, context)
  const request = await readRequest(rows, wanted, context)
  markUnchanged(rows, request)
  return { product, rows, request }
}

/** What it means that a member vouches (contract §10.6): nothing takes it back. */
function vouchingSentences(rows: readonly IssueRow[]): string[] {
  const isVouching = rows.some(({ outcome }) => outcome === 'vouched' || outcome === 'would_vouch')
  return isVouching ? ['The quality gate judges issues that are vouched for; nothing takes that back.'] : []
}

/** Says which rows were read again because the reply did not say what became of them, and whether any is still unknown. */
function readBackSentences(rows: readonly IssueRow[]): string[] {
  const count = rows.filter(({ isReadBack }) => isReadBack).length
  const isUnknown = rows.some(({ outcome }) => outcome === 'unknown')
  return [
    ...(count === 0 ? [] : [`The deployment's reply cannot be read; ${count} read again: changed.`]),
    ...(isUnknown ? [UNKNOWN_ROWS] : []),
  ]
}

function checkCalls(rows: readonly IssueRow[], request: StatusRequest) {
  const unknown = rows.filter(({ outcome }) => outcome === 'unknown')
  return unknown.length === 0 ? [] : [checkCall(unknown, request)]
}

function undoCalls(rows: readonly IssueRow[], product: string | undefined) {
  const changed = rows.flatMap((row) => {
    const old = row.outcome === 'changed' && row.before !== undefined ? currentParameters(row.before) : undefined
    return old === undefined ? [] : [{ row, old }]
  })
  return Array.from(Map.groupBy(changed, ({ old }) => JSON.stringify(old)).values(), (group) =>
    nextCall(
      'set_error_issue_status',
      {
        product,
        issues: group.map(({ row }) => displayName(row)),
        ...group[0]?.old,
        reason: 'Undo of the previous change.',
      },
      'undoes this change, if the user wants that',
    ),
  )
}

const SENTENCES = 3

/** What reopens the issues, each different case once. */
function reopeningSentences(rows: readonly IssueRow[], request: StatusRequest): string[] {
  const set = rows.filter(({ outcome }) => ['changed', 'would_change', 'already'].includes(outcome))
  const it = set.length === 1 ? 'it' : 'its issue'
  const cases = Map.groupBy(set, (row) => {
    const issue = row.outcome === 'already' ? row.before : row.after
    if (issue === undefined) return ''
    const sentence = reopeningSentence({ ...issue, status: request.status }, it) ?? silence(request)
    return [unconfirmed(issue, request), sentence].filter(Boolean).join(' ')
  })
  cases.delete('')
  const [only, ...others] = cases.keys()
  if (only !== undefined && others.length === 0) return [only]
  const sentences = [...cases].map(([sentence, group]) => `${group.map(displayName).join(', ')}: ${sentence}`)
  return sentences.length > SENTENCES
    ? [...sentences.slice(0, SENTENCES), 'get_error_issue says it of the others.']
    : sentences
}

function silence({ status }: StatusRequest): string {
  return status === 'unresolved' ? '' : 'This deployment does not say what reopens it.'
}

/** For a deployment that does not return what was sent: it may not know the member. */
function unconfirmed(
  issue: IssueFacts,
  { status, fixed_in: fixedIn, ignore_until: ignoreUntil }: StatusRequest,
): string {
  if (fixedIn !== undefined && issue.fixed_in === undefined) {
    return `Status ${status}; this deployment does not say in which release.`
  }
  return ignoreUntil !== undefined && issue.ignore_until === undefined
    ? `Status ${status}; this deployment does not say until when.`
    : ''
}

function outcomeSentence(rows: readonly IssueRow[], status: Status, dryRun: boolean): string {
  const count = (outcome: Outcome) => rows.filter((row) => row.outcome === outcome).length
  const parts: readonly [number, string][] = [
    [count('changed'), `changed to ${status}`],
    [count('would_change'), `would change to ${status}`],
    [count('vouched'), 'unresolved already and vouched for'],
    [count('would_vouch'), 'unresolved already would be vouched for'],
    [count('already'), `already ${status}`],
    [count('not_found'), 'not found'],
    [count('unknown'), 'unknown'],
    [count('failed'), 'failed'],
  ]
  const words = parts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)
  return `${dryRun ? PREVIEW : ''}${words.join(', ')}.`
}
