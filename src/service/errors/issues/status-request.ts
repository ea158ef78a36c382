import { sql } from 'kysely'
import type { InputOf } from '../../../contract/index.ts'
import { ServiceError } from '../../../errors.ts'
import { dayMs, hourMs, timestamp } from '../../shared/times.ts'
import type { Rows } from '../../sql/database.ts'
import { recordedOrigin } from '../../workspace/releases/rules.ts'
import type { FixedIn } from './columns.ts'
import type { IgnoreRequest } from './status.ts'

type Request = Pick<InputOf<'setIssueStatus'>, 'status' | 'fixed_in' | 'ignore_until'>

const units: Readonly<Record<string, number>> = { h: hourMs, d: dayMs, w: 7 * dayMs }

/**
 * What a request to set a status adds to it (contract §10.3). Throws `invalid_argument` that names the field when it does
 * not fit the status, says several things at once, or names no known release.
 */
export async function readStatusDetails(
  rows: Rows,
  { productId, now }: { productId: number; now: number },
  { status, fixed_in: fixedIn, ignore_until: ignoreUntil }: Request,
): Promise<{ fixedIn?: FixedIn; ignore?: IgnoreRequest }> {
  if (fixedIn !== undefined && status !== 'resolved') throw invalid('fixed_in', 'belongs to the status resolved')
  if (ignoreUntil !== undefined && status !== 'ignored') throw invalid('ignore_until', 'belongs to the status ignored')
  return {
    ...(fixedIn !== undefined && { fixedIn: await readFixedIn(rows, productId, fixedIn) }),
    ...(ignoreUntil !== undefined && { ignore: readIgnore(ignoreUntil, now) }),
  }
}

async function readFixedIn(rows: Rows, productId: number, given: NonNullable<Request['fixed_in']>): Promise<FixedIn> {
  const { release, commit } = given === 'next' ? { release: given } : given
  if (commit !== undefined) {
    if (release !== undefined) throw invalid('fixed_in', 'takes a release or a commit, not both')
    return { kind: 'commit', commit: commit.toLowerCase() }
  }
  if (release === undefined) throw invalid('fixed_in', 'must be "next", a release or a commit')
  if (release === 'next') return { kind: 'next' }
  return { kind: 'release', release_id: await findKnownRelease(rows, productId, release) }
}

/**
 * The id of a known release by id or version; of those of several environments the first one that somebody vouched for, and
 * not one that events with a public key have named before.
 */
async function findKnownRelease(rows: Rows, productId: number, named: string): Promise<string> {
  const found = await rows
    .selectFrom('release')
    .select('id')
    .where('product_id', '=', productId)
    .where(sql<boolean>`${sql.raw(recordedOrigin)}`)
    .where((where) => where.or([where('id', '=', named), where('version', '=', named)]))
    .orderBy(sql`CASE WHEN vouched_at IS NULL THEN 1 ELSE 0 END`)
    .orderBy('vouched_at')
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirst()
  if (found !== undefined) return found.id
  throw invalid('fixed_in.release', 'must be the id or version of a release that was recorded, or "next"')
}

function readIgnore(given: NonNullable<Request['ignore_until']>, now: number): IgnoreRequest {
  const { count, until, release } = given
  if ([count, until, release].filter((member) => member !== undefined).length !== 1) {
    throw invalid('ignore_until', 'takes one of count, until and release')
  }
  if (count !== undefined) return { kind: 'count', count }
  if (until === undefined) return { kind: 'release' }
  const at = readTime(until, now)
  if (at <= now) throw invalid('ignore_until.until', `must be after now, ${timestamp(now)}`)
  return { kind: 'time', until: at }
}

function readTime(until: string, now: number): number {
  const unit = units[until.slice(-1)]
  return unit === undefined ? Date.parse(until) : now + Number(until.slice(0, -1)) * unit
}

function invalid(field: string, description: string): ServiceError {
  return new ServiceError('invalid_argument', `${field} ${description}`, {
    reason: 'FIELD_INVALID',
    violations: [{ field, description }],
  })
}
