import { IssueStatus } from '../../../src/contract/base/common.ts'
import type { InputOf } from '../../../src/contract/index.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { rowsSearched } from '../../../src/mcp/resolve/requests.ts'
import type { Release } from '../../../src/mcp/resolve/types.ts'
import { describeValue, TeachingError } from '../../../src/mcp/result/teach.ts'
import { compareName, knownName, textMatching } from '../../../src/mcp/text/untrusted.ts'
import type { Issue } from './issues.ts'

type Request = InputOf<'setIssueStatus'>

/** What goes with a status: the members of the request. */
export type StatusRequest = Pick<Request, 'status' | 'fixed_in' | 'ignore_until'>

const COMMIT = /^[0-9a-f]{7,64}$/i
const NEXT_RELEASE = /^next(?:[ _-]release)?$/i
const SHOWN = 8

interface GivenStatus {
  status: Request['status']
  fixed_in?: string | undefined
  ignore_until?: string | undefined
}

/**
 * The members of the request. Throws a `TeachingError` when they do not fit the status, or when a release is named and the
 * issues belong to several products.
 */
export async function readRequest(
  rows: readonly { productId?: string | undefined }[],
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

function misplaced(name: string, fitting: Request['status'], status: Request['status']): TeachingError {
  return new TeachingError('invalid_argument', `${name} belongs to status ${fitting}`, {
    sent: `${name} with status ${status}`,
    expected: `status ${fitting}, or no ${name}`,
  })
}

/**
 * `fixed_in` as the request has it: `next`, a recorded release by version or id, or a commit. Throws a `TeachingError` for
 * anything else. A version may leave out its package (`1.4.2` for `shop@1.4.2`) when only one fits.
 */
async function readFixedIn(
  given: string,
  productId: string | undefined,
  context: Pick<Context, 'resolve'>,
): Promise<NonNullable<Request['fixed_in']>> {
  const text = given.trim()
  if (NEXT_RELEASE.test(text)) return 'next'
  if (productId === undefined) return COMMIT.test(text) ? { commit: text.toLowerCase() } : { release: text }
  const exact = await context.resolve.releases(productId, { version: text })
  const versioned = exact.rows.filter((row) => isRecorded(row) && compareName(row.version, text) === 'exact')
  if (versioned[0] !== undefined) return { release: versioned[0].id }
  if (COMMIT.test(text)) return { commit: text.toLowerCase() }
  const { rows: newest } = await context.resolve.releases(productId)
  const recorded = newest.filter(isRecorded)
  const matches = recorded.filter((row) => row.id === text || isVersion(row, text))
  const [first, ...others] = matches
  if (first !== undefined && others.every((row) => shownVersion(row) === shownVersion(first)))
    return { release: first.id }
  const versions = [...new Set((matches.length > 0 ? matches : recorded).map(shownVersion))].slice(0, SHOWN)
  const among = rowsSearched(exact, 'version')
  const missing =
    among === undefined ? 'no recorded release' : `not among the first ${among.toLocaleString('en')} releases`
  throw new TeachingError(
    matches.length > 0 ? 'ambiguous_name' : 'not_found',
    matches.length > 0 ? 'several releases match fixed_in' : `fixed_in is ${missing}`,
    {
      sent: `fixed_in = ${describeValue(given)}`,
      expected: ['next', 'a commit (7-64 hexadecimal characters)', ...versions].join(', '),
      next: {
        tool: 'get_workspace_context',
        why: 'lists releases',
        args: { product: productId, include: ['releases'] },
      },
    },
  )
}

/** Only a release that a member or a token recorded can have a fix; a deployment that does not say so is believed. */
function isRecorded({ known, origin }: Release): boolean {
  return known !== false && origin !== 'ORIGIN_SERVER_KEY'
}

function isVersion({ version }: Release, text: string): boolean {
  const compared = compareName(version, text)
  return compared === 'exact' || compared === 'fold' || textMatching(version, endsWith(text)) !== undefined
}

/** `shop@1.4.2` for `1.4.2`. */
function endsWith(text: string): RegExp {
  return new RegExp(`@${RegExp.escape(text)}$`, 'i')
}

function shownVersion(row: Release): string {
  return knownName(row.version, row.known) ?? row.id
}

const TIMES = /^([1-9]\d{0,6}) (?:times?|events?)$/i
const DURATION = /^([1-9]\d{0,3}) ?(h|d|w|hours?|days?|weeks?)$/i
const DATE = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i

/** `ignore_until` as the request has it; throws a `TeachingError` that names the forms there are. */
function readIgnoreUntil(given: string): NonNullable<Request['ignore_until']> {
  const text = given.trim()
  if (NEXT_RELEASE.test(text)) return { release: 'next' }
  const [, count] = TIMES.exec(text) ?? []
  if (count !== undefined) return { count: Number(count) }
  const [, amount, unit = ''] = DURATION.exec(text) ?? []
  if (amount !== undefined) return { until: `${amount}${unit.charAt(0).toLowerCase()}` }
  const time = DATE.test(text) ? `${text}T00:00:00Z` : TIME.test(text) ? text : ''
  if (!Number.isNaN(Date.parse(time))) return { until: new Date(time).toISOString() }
  throw new TeachingError('invalid_argument', 'invalid arguments: ignore_until', {
    sent: `ignore_until = ${describeValue(given)}`,
    expected: 'next_release, a number of events such as "100 times", a duration such as 12h, 7d or 2w, or a date',
  })
}

/** Whether the issue has the status of the request already, with the same fix or end of ignoring. */
export function isAlready(issue: Issue, request: StatusRequest): boolean {
  if (issue.status !== request.status) return false
  return isSameFix(issue.fixed_in, request.fixed_in) && isSameIgnoring(issue.ignore_until, request.ignore_until)
}

function isSameFix(fix: Issue['fixed_in'], wanted: Request['fixed_in']): boolean {
  if (fix === undefined || wanted === undefined) return fix === undefined && wanted === undefined
  if (wanted === 'next') return fix.kind === 'next'
  if (wanted.commit !== undefined) return fix.kind === 'commit' && fix.commit === wanted.commit
  return fix.kind === 'release' && fix.release?.id === wanted.release
}

function isSameIgnoring(until: Issue['ignore_until'], wanted: Request['ignore_until']): boolean {
  if (until === undefined || wanted === undefined) return until === undefined && wanted === undefined
  return until.count === wanted.count && until.until === wanted.until && until.release === wanted.release
}

/**
 * The parameters of the tool that give the issue what it has now: for the call that undoes a change. Undefined where no
 * such call exists, because the deployment does not state the status or has one that the tool does not know.
 */
export function currentParameters(
  issue: Issue,
): { status: Request['status']; fixed_in?: string; ignore_until?: string } | undefined {
  const { data: status } = IssueStatus.safeParse(issue.status)
  if (status === undefined) return undefined
  const fixedIn = status === 'resolved' && issue.fixed_in !== undefined ? fixText(issue.fixed_in) : ''
  const until = status === 'ignored' && issue.ignore_until !== undefined ? ignoringText(issue.ignore_until) : ''
  if (fixedIn === undefined || until === undefined) return undefined
  return { status, ...(fixedIn !== '' && { fixed_in: fixedIn }), ...(until !== '' && { ignore_until: until }) }
}

function fixText({ kind, commit, release }: NonNullable<Issue['fixed_in']>): string | undefined {
  if (kind === 'next') return 'next'
  return commit ? (COMMIT.test(commit) ? commit : undefined) : release?.id
}

function ignoringText({ count, remaining, until, release }: NonNullable<Issue['ignore_until']>): string | undefined {
  if (count !== undefined) return `${String(Math.max(1, remaining ?? count))} times`
  if (until !== undefined) return TIME.test(until) ? until : undefined
  return release === 'next' ? 'next_release' : undefined
}

/** Whether the service says that a member or an event with a server key vouches for the issue (contract §10.6). */
export function isVouched({ vouched_by: by }: Issue): boolean {
  return by !== undefined && by !== ''
}
