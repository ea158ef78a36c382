import type * as z from 'zod'
import type { Coverage, CoverageState, ResultStatus } from '../../../contract/base/common.ts'
import type { GapType } from '../../../contract/test-context.ts'

export type CoverageBody = z.input<typeof Coverage>
export type CoverageStateName = z.output<typeof CoverageState>

/** The newest result of a case in a scope. */
export interface NewestResult {
  status: z.output<typeof ResultStatus>
  /** Epoch milliseconds. */
  at: number
  release: string
  releaseKnown: boolean
}

/** A case that counts: not deleted, deprecated or quarantined. */
export interface CountedCase {
  testId: string
  newest: NewestResult | undefined
}

/** A link that counts as coverage (VERIFIES or PARTIALLY_VERIFIES), with the cases it leads to. */
export interface CountedLink {
  role: 'LINK_ROLE_VERIFIES' | 'LINK_ROLE_PARTIALLY_VERIFIES'
  suspect: boolean
  /** The case or the suite that is linked; for those who tell links apart. */
  linkedId?: string
  criterionIds: readonly string[]
  cases: readonly CountedCase[]
  /** When the first of its cases in quarantine counts again, in epoch milliseconds. */
  countsMoreAt?: number | undefined
}

export interface RequirementFacts {
  criterionIds: readonly string[]
  links: readonly CountedLink[]
  /** Older results do not count; 0 = no limit. */
  maxAgeMs: number
  /** Epoch milliseconds. */
  now: number
}

export interface OwnCoverage {
  coverage: CoverageBody
  /** Why it is not verified: the gap with the highest factor among those that apply; '' when it is. */
  gap: z.output<typeof GapType> | ''
  /** The ids of the failing cases. */
  failingTests: string[]
  /** When the first of the counting results becomes too old or the first quarantine ends; null when none will. */
  staleAt: number | null
}

/**
 * The coverage of a requirement by its own links (contract §1.2), and its gap (contract §9.1). All code that reports
 * coverage calls this function.
 */
export function judgeCoverage({ criterionIds, links, maxAgeMs, now }: RequirementFacts): OwnCoverage {
  const active = links.filter(({ cases }) => cases.length > 0)
  const cases = distinctCases(active)
  const isUsable = ({ at }: NewestResult) => maxAgeMs === 0 || at >= now - maxAgeMs
  const usable = cases.flatMap(({ newest }) => (newest !== undefined && isUsable(newest) ? [newest] : []))
  const passed = usable.filter(({ status }) => hasPassed(status))
  const failed = usable.filter(({ status }) => hasFailed(status))
  const suspect = active.some((link) => link.suspect)
  const uncovered = active.length === 0 ? [...criterionIds] : uncoveredCriteria(criterionIds, active)
  const ran = cases.length > 0 && passed.length === cases.length
  const verified = ran && !suspect && uncovered.length === 0
  const last = passed.toSorted((a, b) => b.at - a.at)[0]
  const tooOld = cases.filter(({ newest }) => newest !== undefined && !isUsable(newest)).length
  return {
    coverage: {
      state: cases.length === 0 ? 'no_test' : verified ? 'verified' : 'not_run',
      failing: failed.length > 0,
      suspect,
      flaky: usable.some(({ status }) => status === 'RESULT_STATUS_FLAKY'),
      linked_test_count: cases.length,
      passed_count: passed.length,
      failed_count: failed.length,
      not_run_count: cases.length - passed.length - failed.length,
      skipped_count: usable.filter(({ status }) => status === 'RESULT_STATUS_SKIPPED').length,
      last_verified_at: last === undefined ? null : new Date(last.at).toISOString(),
      last_verified_release: last?.release ?? '',
      last_verified_release_known: last?.releaseKnown ?? false,
      uncovered_criterion_ids: uncovered,
      covered_criterion_ids: criterionIds.filter((id) => isProved(id, active, isUsable)),
    },
    gap: findGapType({
      linked: cases.length > 0,
      failing: failed.length > 0,
      unrun: cases.length - passed.length - failed.length - tooOld > 0,
      partial: uncovered.length > 0,
      suspect,
      stale: tooOld > 0,
    }),
    failingTests: cases.flatMap(({ testId, newest }) =>
      newest !== undefined && isUsable(newest) && hasFailed(newest.status) ? [testId] : [],
    ),
    staleAt: earliest([
      ...(maxAgeMs === 0 ? [] : usable.map(({ at }) => at + maxAgeMs + 1)),
      ...links.flatMap(({ countsMoreAt = [] }) => countsMoreAt),
    ]),
  }
}

function earliest(times: readonly number[]): number | null {
  return times.length === 0 ? null : times.reduce((least, at) => Math.min(least, at))
}

/** In the order of the factors (contract §9.1); for equal factors, PARTIAL before SUSPECT. */
function findGapType(found: Record<'linked' | 'failing' | 'unrun' | 'partial' | 'suspect' | 'stale', boolean>) {
  if (!found.linked) return 'GAP_TYPE_NO_TEST'
  if (found.failing) return 'GAP_TYPE_FAILING'
  if (found.unrun) return 'GAP_TYPE_NOT_RUN'
  if (found.partial) return 'GAP_TYPE_PARTIAL_CRITERIA'
  if (found.suspect) return 'GAP_TYPE_SUSPECT'
  return found.stale ? 'GAP_TYPE_STALE' : ''
}

/** A case that several links lead to counts only once. */
function distinctCases(links: readonly CountedLink[]): CountedCase[] {
  return [...new Map(links.flatMap(({ cases }) => cases).map((one) => [one.testId, one])).values()]
}

/** A verifying link that names no criteria covers all of them. */
function uncoveredCriteria(criterionIds: readonly string[], links: readonly CountedLink[]): string[] {
  const isWhole = ({ role, criterionIds: named }: CountedLink) => role === 'LINK_ROLE_VERIFIES' && named.length === 0
  if (links.some(isWhole)) return []
  const covered = new Set(links.flatMap((link) => link.criterionIds))
  return criterionIds.filter((id) => !covered.has(id))
}

/** A criterion is covered once every test that a link names it for has passed; a link to the whole requirement names none. */
function isProved(id: string, links: readonly CountedLink[], isUsable: (result: NewestResult) => boolean): boolean {
  const cases = links.filter(({ criterionIds }) => criterionIds.includes(id)).flatMap((link) => link.cases)
  const isPass = ({ newest }: CountedCase) => newest !== undefined && isUsable(newest) && hasPassed(newest.status)
  return cases.length > 0 && cases.every(isPass)
}

function hasPassed(status: NewestResult['status']): boolean {
  return status === 'RESULT_STATUS_PASSED' || status === 'RESULT_STATUS_FLAKY'
}

function hasFailed(status: NewestResult['status']): boolean {
  return status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR'
}

/** From worst to best. */
const order: readonly CoverageStateName[] = ['no_test', 'not_run', 'verified']

/** The worst of the states; undefined when there are none. */
export function worstState(states: Iterable<CoverageStateName>): CoverageStateName | undefined {
  const present = new Set(states)
  return order.find((state) => present.has(state))
}
