import type * as z from 'zod'
import type { IssueStatus } from '../../../src/contract/base/common.ts'
import { ENDPOINT_MISSING, ServiceError } from '../../../src/errors.ts'
import { inBatches } from '../../../src/lib/batches.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { keyPrefix, mayBeId } from '../../../src/mcp/resolve/ids.ts'
import { inOneProduct } from '../../../src/mcp/resolve/find-product.ts'
import { ifOffered, isNotOffered, notOffered } from '../../../src/mcp/resolve/offered.ts'
import { nextCall, type NextAction } from '../../../src/mcp/result/next-action.ts'
import { describeValue, TeachingError } from '../../../src/mcp/result/teach.ts'
import { firstNames } from '../../../src/mcp/text/block-notes.ts'
import { isTracegate } from '../is-tracegate.ts'
import { failureWords, ifReadable, mayBeDone, unknownOutcome } from '../writes/outcome.ts'
import type { Issue } from './issues.ts'
import { isAlready, isVouched, type StatusRequest } from './status-request.ts'

/** Requests of one call that run concurrently. */
const AT_ONCE = 8

export type Status = z.output<typeof IssueStatus>

export const outcomes = [
  'changed',
  'would_change',
  'vouched',
  'would_vouch',
  'already',
  'not_found',
  'unknown',
  'failed',
] as const
export type Outcome = (typeof outcomes)[number]

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
  /** It is unresolved already: the request vouches for it (contract §10.6). */
  vouches?: boolean
  /** The reply did not say what became of the issue, but a read after it did. */
  isReadBack?: boolean
  error?: string
  /** What to throw if this is the only row. */
  cause?: unknown
}

/**
 * Reads the issues as they are before the change; an issue that is named by id and by key is one row. Throws when none of
 * them is found.
 */
export async function readRows(
  issues: readonly string[],
  product: string | undefined,
  context: Context,
): Promise<IssueRow[]> {
  const rows = await inBatches([...new Set(issues)], AT_ONCE, (issue) => readRow(issue, product, context))
  const different = [...new Map(rows.map((row) => [row.id, row])).values()]
  await requireFound(different, product, context)
  return different
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
    if (error instanceof ServiceError && error.code === 'not_found') return { id, outcome: 'not_found', cause: error }
    throw error
  }
}

/** Throws when none of the issues was found: such a call has no outcome to report. */
async function requireFound(rows: readonly IssueRow[], given: string | undefined, { resolve }: Context): Promise<void> {
  if (rows.some(({ outcome }) => outcome !== 'not_found')) return
  const [first] = rows
  if (rows.length === 1) throw first?.cause
  const products = given === undefined ? ((await ifOffered(resolve.products())) ?? []) : [await resolve.product(given)]
  const args = { ...(given !== undefined && { product: products[0]?.id }), status: 'any', period: '30d' }
  throw new TeachingError('not_found', `none of these ${rows.length} error issues was found; nothing was changed`, {
    sent: `issues = ${firstNames(
      rows.map(({ id }) => id),
      IDS_SHOWN,
    )}`,
    expected: 'error-issue keys or ids, as in find_error_issues rows[].id',
    next: inOneProduct(nextCall('find_error_issues', args, 'lists issues'), undefined, products),
  })
}

const IDS_SHOWN = 5

/**
 * Marks the rows that have what the request says already. On a service that says who vouches for an issue, `unresolved` is
 * sent all the same: it vouches for the issue as it is now.
 */
export function markUnchanged(rows: readonly IssueRow[], request: StatusRequest): void {
  for (const row of rows) {
    if (row.before === undefined || !isAlready(row.before, request)) continue
    row.vouches = request.status === 'unresolved' && row.before.vouched_by !== undefined
    row.outcome = row.vouches ? 'would_vouch' : 'already'
  }
}

/** Those that a request is sent for. */
export function selectChanging(rows: readonly IssueRow[]): IssueRow[] {
  return rows.filter(({ outcome }) => outcome === 'would_change' || outcome === 'would_vouch')
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
  const changing = selectChanging(rows)
  if (changing.length === 0 || request.status === 'unresolved' || !(await isTracegate(context))) return
  const change = { ...request, note, validate_only: true }
  await inBatches(byProduct(changing), AT_ONCE, (group) => usualSend(group)(group, change, context))
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
  const changing = selectChanging(rows)
  context.countChanges(changing.map(({ id }) => id))
  await inBatches(byProduct(changing), AT_ONCE, (group) => changeGroup(group, { ...request, note }, context))
  // The outcome of the others is worth more than the first error, which is thrown only when nothing else happened.
  const [first] = rows
  if (rows.every(({ outcome }) => outcome === 'failed')) throw first?.cause
  if (rows.length === 1 && first?.outcome === 'unknown') throw first.cause
}

/** Without a product there is no bulk endpoint: such an issue is its own group. */
function byProduct(rows: readonly IssueRow[]): readonly IssueRow[][] {
  return [...Map.groupBy(rows, ({ productId, id }) => productId ?? id).values()]
}

type Change = StatusRequest & { note: string; validate_only?: boolean }

/**
 * Changes issues of one product and sets the outcome of each row. Where the deployment offers only one of the two
 * endpoints, that one is used.
 */
async function changeGroup(group: readonly IssueRow[], change: Change, context: Context): Promise<void> {
  const refused = await changeBy(usualSend(group), group, change, context)
  if (refused === undefined) return
  const [other, parts] =
    usualSend(group) === sendInBulk ? [sendSingle, group.map((row) => [row])] : [sendInBulk, [group]]
  await inBatches(parts, AT_ONCE, async (rows) => {
    const error = await changeBy(other, rows, change, context)
    for (const row of error === undefined ? [] : rows) markFailed(row, error ?? refused)
  })
}

function usualSend({ length }: readonly IssueRow[]): SendChange {
  return length === 1 ? sendSingle : sendInBulk
}

/** Sets the outcome of each row by one endpoint; resolves to its failure where the deployment does not offer it. */
async function changeBy(
  send: SendChange,
  rows: readonly IssueRow[],
  change: Change,
  context: Context,
): Promise<ServiceError | undefined> {
  try {
    const missing = await send(rows, change, context)
    for (const row of rows) row.outcome = missing.has(row.id) ? 'not_found' : doneOutcome(row)
    // A reply that leaves an issue out, or has it with another status, does not say that it was changed.
    const unsaid = rows.filter((row) => row.outcome !== 'not_found' && !isSaid(row, change))
    await inBatches(unsaid, AT_ONCE, (row) => readBack(row, change, context))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (isNotOffered(error)) return error
    await inBatches(rows, AT_ONCE, (row) => settle(row, error, change, context))
  }
  return undefined
}

function doneOutcome({ vouches }: IssueRow): Outcome {
  return vouches === true ? 'vouched' : 'changed'
}

function isSaid({ after, vouches }: IssueRow, { status }: Change): boolean {
  if (after === undefined) return false
  return vouches === true ? isVouched(after) : after.status === undefined || after.status === status
}

/** The outcome of a row whose request failed: a write that may have been done is looked for by a read. */
async function settle(row: IssueRow, error: ServiceError, change: Change, context: Context): Promise<void> {
  if (mayBeDone(error)) await readBack(row, change, context, error)
  else markFailed(row, error)
}

function markFailed(row: IssueRow, error: ServiceError): void {
  row.outcome = 'failed'
  row.cause = isNotOffered(error) ? notOffered('changing the status of issues', { hint: STILL_WORKS }, error) : error
  row.error = failureWords(row.cause)
}

const STILL_WORKS = 'tell the user which issues to change in the web interface; reading issues still works.'

/** Reads an issue again after a write without a usable reply: the status decides, if it was another one before. */
async function readBack(row: IssueRow, change: Change, { api, signal }: Context, cause?: ServiceError): Promise<void> {
  const issue = (await ifReadable(api.getIssue({ id: row.id }, { signal })))?.issue
  const wasOther = row.before?.status !== change.status
  const isSet = issue !== undefined && (wasOther ? issue.status === change.status : isAlready(issue, change))
  const isDone = isSet && (row.vouches !== true || isVouched(issue))
  row.outcome = isDone ? doneOutcome(row) : 'unknown'
  row.isReadBack = isDone
  if (isDone) row.after = issue
  else row.cause = unknownOutcome(cause ?? unsaidOutcome(), { next: checkCall([row]) })
}

function unsaidOutcome(): ServiceError {
  return new ServiceError('outcome_unknown', 'the reply does not say that the status was changed')
}

/** The key where the caller used it, since it leads back to the issue; else the id. */
export function displayName({ id, shortId, byKey }: IssueRow): string {
  return byKey === true && shortId !== undefined ? shortId : id
}

/** The call that shows the status of issues whose change has an unknown outcome. */
export function checkCall(rows: readonly IssueRow[], request?: StatusRequest): NextAction {
  const issues = rows.map(displayName)
  const why = 'shows which of them were changed: before you repeat anything'
  return issues.length === 1 || request === undefined
    ? nextCall('get_error_issue', { issue: issues[0] }, why)
    : nextCall('set_error_issue_status', { issues, status: request.status, reason: 'A check.', dry_run: true }, why)
}

/** Sets `after` of each row. Resolves to the ids that the service did not find. */
type SendChange = (rows: readonly IssueRow[], change: Change, context: Context) => Promise<ReadonlySet<string>>

async function sendSingle([row]: readonly IssueRow[], change: Change, { api, signal }: Context) {
  if (row !== undefined) row.after = (await api.setIssueStatus({ id: row.id, ...change }, { signal })).issue
  return new Set<string>()
}

async function sendInBulk(rows: readonly IssueRow[], change: Change, { api, signal, confirmed }: Context) {
  const product = rows[0]?.productId
  if (product === undefined)
    throw new ServiceError('unimplemented', 'the deployment does not say the product of the issue', {
      reason: ENDPOINT_MISSING,
    })
  const ids = rows.map(({ id }) => id)
  const once = confirmed && { request_id: `${confirmed.nonce}.${product}` }
  const request = { product_id: product, issue_ids: ids, ...change, ...once }
  const answer = await api.bulkSetIssueStatus(request, { signal })
  const changed = new Map(answer.issues.map((issue) => [issue.id, issue]))
  for (const row of rows) row.after = changed.get(row.id)
  return new Set(answer.not_found_ids)
}
