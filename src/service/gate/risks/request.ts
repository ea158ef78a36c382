import type * as z from 'zod'
import type { InputOf } from '../../../contract/index.ts'
import type { DecisionWay } from '../../../contract/quality-gate/risks.ts'
import { ServiceError } from '../../../errors.ts'
import type { Writing } from '../../shared/context.ts'
import { dayMs } from '../../shared/times.ts'
import { isInLine } from './counts.ts'

type Input = InputOf<'acceptRisk'>
type Way = z.output<typeof DecisionWay>

const DEFAULT_DAYS = 30
const MOST_DAYS = 90

/** When the risk ends, in epoch milliseconds: after 30 days unless the request says otherwise, after 90 at most. */
export function readExpiry({ expires_at, ttl_days }: Pick<Input, 'expires_at' | 'ttl_days'>, now: number): number {
  if (expires_at === undefined) return now + (ttl_days ?? DEFAULT_DAYS) * dayMs
  if (ttl_days !== undefined) throw refuse('expires_at', 'and ttl_days were both given; send one of them')
  const end = Date.parse(expires_at)
  if (end <= now) throw refuse('expires_at', 'is in the past; use a time to come')
  if (end > now + MOST_DAYS * dayMs) {
    const description = `is more than ${String(MOST_DAYS)} days ahead; use an earlier time and renew the risk then`
    throw refuse('expires_at', description, 'EXPIRY_TOO_FAR')
  }
  return end
}

/**
 * The way of a decision. A tool cannot say that a person decided on the page or in a terminal: those requests come from
 * the page and the terminal themselves.
 */
export function readWay(given: Way | undefined, { byAgent }: Pick<Writing, 'byAgent'>): Way {
  const way = given ?? 'DECISION_WAY_API'
  const isInPerson = way === 'DECISION_WAY_PAGE' || way === 'DECISION_WAY_TERMINAL'
  if (!byAgent || !isInPerson) return way
  throw refuse('way', 'cannot be the page or a terminal in a request of an agent; leave it out')
}

/**
 * The line of releases with the package of the judged version in front (`shop@1.4.*`), or '' where the request names none.
 */
export function readLine(scope: Input['scope'], version: string): string {
  const line = scope?.release_line
  if (line === undefined) return ''
  if (scope?.release_id === undefined) {
    throw refuse('scope.release_line', 'needs scope.release_id, the release of the line whose verdict counts')
  }
  const front = /^(?:.*@)?v?/.exec(version)?.[0] ?? ''
  const full = `${front}${line}`
  if (isInLine(version, full)) return full
  throw refuse('scope.release_line', 'is not the line of scope.release_id; use the line that the release belongs to')
}

/** An `invalid_argument` about one member of the request. */
export function refuse(field: string, description: string, reason = 'FIELD_INVALID'): ServiceError {
  return new ServiceError('invalid_argument', `${field} ${description}`, {
    reason,
    violations: [{ field, description }],
  })
}
