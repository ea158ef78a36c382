import type * as z from 'zod'
import type { GapType } from '../../../../contract/test-context.ts'
import { exposureScore, gapScore, typeFactor, UNCLAIMED_RISK, type GapTypeName } from '../../../quality/gaps/score.ts'
import type { Claim, TriagedIssue } from './read.ts'
import type { PriorityBody } from './schema.ts'

/** S of an issue whose files belong to verified requirements only: less than that of any gap. */
const VERIFIED = 0.4
const MOST = { users: 10, rising: 5, regression: 10 }
/** Fewer events in a day are no trend. */
const LEAST_RISING = 5
const DAYS_BEFORE = 6

export interface PriorityFacts {
  issue: Pick<TriagedIssue, 'users_affected' | 'is_regression'>
  /** Requirements that claim its files. */
  claims: readonly Claim[]
  /** Events of the last 7 days, weighted by level and environment; 0 for a doubted issue. */
  weighted: number
  events: { lastDay: number; week: number }
}

/**
 * The priority of an issue, 0 to 100: the score of the gap that it touches, exposed by its own events alone (contract
 * §9.1), and what it gains by users, trend and regression.
 */
export function scoreIssue({ issue, claims, weighted, events }: PriorityFacts): PriorityBody {
  const risk = claims.length === 0 ? UNCLAIMED_RISK : Math.max(...claims.map((claim) => claim.risk))
  const gap = claims.length === 0 ? 'GAP_TYPE_UNCLAIMED_HOT_FILE' : worstGap(claims)
  const exposure = exposureScore(weighted)
  const touched = gap === '' ? verifiedScore(risk, exposure) : gapScore({ risk, type: gap, exposure })
  const users = Math.min(1, Math.log10(1 + issue.users_affected) / 3)
  const before = Math.max(0, events.week - events.lastDay) / DAYS_BEFORE
  const rising = events.lastDay >= LEAST_RISING && events.lastDay >= 2 * before
  const regression = issue.is_regression === 1
  const gained = MOST.users * users + (rising ? MOST.rising : 0) + (regression ? MOST.regression : 0)
  return {
    score: round(Math.min(100, touched + gained), 1),
    gap_score: touched,
    risk,
    gap,
    exposure: round(exposure, 3),
    users: round(users, 3),
    rising,
    regression,
  }
}

function worstGap(claims: readonly Claim[]): z.output<typeof GapType> | '' {
  const gaps = claims.flatMap(({ gap }) => (isGap(gap) ? [gap] : []))
  return gaps.toSorted((left, right) => typeFactor[right] - typeFactor[left])[0] ?? ''
}

function isGap(text: string): text is GapTypeName {
  return Object.hasOwn(typeFactor, text)
}

function verifiedScore(risk: number, exposure: number): number {
  return round(100 * risk * VERIFIED * (0.3 + 0.7 * exposure), 1)
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}
