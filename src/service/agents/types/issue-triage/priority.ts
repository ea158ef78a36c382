import { round } from '../../../../lib/round.ts'
import { exposureScore, gapScore, typeFactor, UNCLAIMED_RISK, type GapTypeName } from '../../../quality/gaps/score.ts'
import type { Claim, TriagedIssue } from './read.ts'
import type { PriorityBody } from './schema.ts'

/** S of an issue whose files are claimed only by requirements without a gap: less than that of any gap. */
const NO_GAP = 0.4
const MOST = { users: 10, rising: 5, regression: 10 }
/** Fewer events in a day are no trend. */
const LEAST_RISING = 5
const DAYS_BEFORE = 6

export interface PriorityFacts {
  issue: Pick<TriagedIssue, 'users_affected' | 'is_regression'>
  /** Requirements that claim its files. */
  claims: readonly Claim[]
  /** Anyone may have made up its events: they, their users and their trend do not count. */
  isDoubted: boolean
  /** Events of the last day and of the last 7 days, and the latter weighted by level and environment. */
  events: { lastDay: number; week: number; weighted: number }
}

/**
 * The priority of an issue, 0 to 100: the score of the gap that it touches, exposed by its own events alone (contract
 * §9.1), plus points for users, trend and regression.
 */
export function scoreIssue({ issue, claims, isDoubted, events }: PriorityFacts): PriorityBody {
  const risk = claims.length === 0 ? UNCLAIMED_RISK : Math.max(...claims.map((claim) => claim.risk))
  const gap = claims.length === 0 ? 'GAP_TYPE_UNCLAIMED_HOT_FILE' : worstGap(claims)
  const exposure = isDoubted ? 0 : exposureScore(events.weighted)
  const gapPoints = gap === '' ? scoreWithoutGap(risk, exposure) : gapScore({ risk, type: gap, exposure })
  const users = isDoubted ? 0 : Math.min(1, Math.log10(1 + issue.users_affected) / 3)
  const rising = !isDoubted && isRising(events)
  const regression = issue.is_regression === 1
  const added = MOST.users * users + (rising ? MOST.rising : 0) + (regression ? MOST.regression : 0)
  return {
    score: round(Math.min(100, gapPoints + added), 1),
    gap_score: gapPoints,
    risk,
    gap,
    exposure: round(exposure, 3),
    users: round(users, 3),
    rising,
    regression,
  }
}

function isRising({ lastDay, week }: PriorityFacts['events']): boolean {
  const dailyBefore = Math.max(0, week - lastDay) / DAYS_BEFORE
  return lastDay >= LEAST_RISING && lastDay >= 2 * dailyBefore
}

function worstGap(claims: readonly Claim[]): GapTypeName | '' {
  const gaps = claims.flatMap(({ gap }) => (gap === '' ? [] : [gap]))
  return gaps.toSorted((left, right) => typeFactor[right] - typeFactor[left])[0] ?? ''
}

function scoreWithoutGap(risk: number, exposure: number): number {
  return round(100 * risk * NO_GAP * (0.3 + 0.7 * exposure), 1)
}
