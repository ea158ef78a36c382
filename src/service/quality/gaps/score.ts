import type * as z from 'zod'
import type { Level } from '../../../contract/base/common.ts'
import type { IssueBody } from '../cases/issues.ts'
import type { CoverageBody } from '../coverage/rule.ts'
import type { GapAction, GapType } from '../../../contract/test-context.ts'

export type GapTypeName = z.output<typeof GapType>

/** S of contract §9.1, by type of gap. */
export const typeFactor: Readonly<Record<GapTypeName, number>> = {
  GAP_TYPE_NO_TEST: 1,
  GAP_TYPE_FAILING: 0.95,
  GAP_TYPE_UNCLAIMED_HOT_FILE: 0.8,
  GAP_TYPE_NOT_RUN: 0.7,
  GAP_TYPE_PARTIAL_CRITERIA: 0.6,
  GAP_TYPE_SUSPECT: 0.6,
  GAP_TYPE_STALE: 0.5,
}

/** The suggested action for each type of gap, where the tests say nothing more. */
const usualAction: Readonly<Record<GapTypeName, z.output<typeof GapAction>>> = {
  GAP_TYPE_NO_TEST: 'GAP_ACTION_WRITE_TEST',
  GAP_TYPE_FAILING: 'GAP_ACTION_FIX_TEST',
  GAP_TYPE_UNCLAIMED_HOT_FILE: 'GAP_ACTION_WRITE_REQUIREMENT',
  GAP_TYPE_NOT_RUN: 'GAP_ACTION_RUN_TEST',
  GAP_TYPE_PARTIAL_CRITERIA: 'GAP_ACTION_ADD_CRITERION_TEST',
  GAP_TYPE_SUSPECT: 'GAP_ACTION_CONFIRM_LINK',
  GAP_TYPE_STALE: 'GAP_ACTION_RUN_TEST',
}

/**
 * What to do about a gap: a test that was skipped has to be finished before running it proves anything; where all failing
 * tests reproduce open issues the code is to be fixed, and once these are resolved the tests are to be run again.
 */
export function suggestedAction(
  type: GapTypeName,
  { coverage, failing }: { coverage: CoverageBody | undefined; failing: readonly (IssueBody | undefined)[] },
): z.output<typeof GapAction> {
  if (type === 'GAP_TYPE_FAILING' && failing.length > 0 && failing.every((issue) => issue !== undefined))
    return failing.some(({ status }) => status !== 'resolved') ? 'GAP_ACTION_FIX_CODE' : 'GAP_ACTION_RUN_TEST'
  const wasSkipped = type === 'GAP_TYPE_NOT_RUN' && (coverage?.skipped_count ?? 0) > 0
  return wasSkipped ? 'GAP_ACTION_FINISH_TEST' : usualAction[type]
}

/** R of a file that no requirement claims. */
export const UNCLAIMED_RISK = 0.5

/** The weight of an event in the exposure, by its level. */
export function levelWeight(level: z.output<typeof Level>): number {
  if (level === 'fatal') return 3
  if (level === 'error') return 1
  return level === 'warning' ? 0.3 : 0.05
}

/** E = min(1, log10(1 + X) / 4): the exposure is highest from about 10,000 weighted events on. */
export function exposureScore(weightedEvents: number): number {
  return Math.min(1, Math.log10(1 + weightedEvents) / 4)
}

/** 100 · R · S · (0.3 + 0.7 · E), rounded to one decimal. */
export function gapScore({ risk, type, exposure }: { risk: number; type: GapTypeName; exposure: number }): number {
  return Math.round(100 * risk * typeFactor[type] * (0.3 + 0.7 * exposure) * 10) / 10
}
