import type * as z from 'zod'
import type { CoverageState, Priority, ResultStatus, RiskLevel } from '../../contract/base/common.ts'
import type { GateIssue } from '../errors/issues/read/gate-known.ts'
import type { Evidence, Exclusion } from '../../contract/quality-gate/verdict.ts'

/**
 * What a verdict is made from, read in one scope and at one time. The judgement reads nothing else, so equal facts give
 * equal verdicts, and the digest of the facts is the verdict's `inputs_digest`. Times are epoch milliseconds.
 */
export interface GateFacts {
  /** Requirements that the policy counts: normative, of a counting status, with a state, and not groups. */
  requirements: readonly RequirementFact[]
  /** Live test cases with a result in the scope or with a link that counts. */
  tests: readonly TestFact[]
  /**
   * Where no test has a result in the scope: the other environments with results of its version. '' for those whose names
   * only events and tests gave.
   */
  elsewhere: readonly string[]
  /** The scope names an environment, or a release, that is in neither production nor staging: no error counts as new there. */
  isUnexposed: boolean
  suspectLinks: readonly LinkFact[]
  issues: readonly IssueFact[]
  /** Changes in effect that took an item out of a condition; newest first. */
  exclusions: readonly ExclusionFact[]
  /** Runs of the scope that lack shards. */
  incompleteRuns: readonly IncompleteRun[]
}

export interface RequirementFact {
  id: string
  /** REQ-12 */
  key: string
  title: string
  priority: z.output<typeof Priority>
  risk: z.output<typeof RiskLevel>
  /** Of the components, for risks that take all items of one cause. */
  componentIds: readonly string[]
  state: z.output<typeof CoverageState>
  failing: boolean
  suspect: boolean
}

/** Priority or risk is critical or high. */
export function isImportant({ priority, risk }: Pick<RequirementFact, 'priority' | 'risk'>): boolean {
  return /_(?:CRITICAL|HIGH)$/.test(priority) || /_(?:CRITICAL|HIGH)$/.test(risk)
}

export interface TestFact {
  id: string
  /** TC-7 */
  key: string
  title: string
  namesKnown: boolean
  componentIds: readonly string[]
  /** The issue that the test reproduces, or ''. */
  issueId: string
  /** A link that counts as coverage leads to it. */
  linked: boolean
  /** Linked to a requirement of critical or high priority or risk. */
  linkedToImportant: boolean
  quarantined: boolean
  /** The newest result in the scope that counts; undefined where there is none. */
  newest: ResultFact | undefined
  /** Results of the last 30 days in the scope; counted for tests with a flaky one, of others 0 or 1. */
  runs: number
  flakyRuns: number
}

export interface ResultFact {
  status: z.output<typeof ResultStatus>
  at: number
  commitSha: string
  sender: 'ci' | 'person' | 'agent'
  /** Older than the policy's `result_max_age_hours`. */
  stale: boolean
  /** Of another commit than the judged one: shown, and proves nothing. */
  carried: boolean
}

export interface LinkFact {
  testId: string
  requirementId: string
  /** TC-7 > REQ-12 */
  key: string
  /** Title of the test. */
  title: string
}

export type IssueFact = GateIssue

export type ExclusionFact = z.input<typeof Exclusion>

export interface IncompleteRun {
  runId: string
  runKey: string
  received: number
  expected: number
  /** Indexes of the missing shards. */
  missing: readonly number[]
}

/** A risk as the judgement needs it; `counts` is the one decision of `riskCounts` (risks/counts.ts). */
export interface RiskFact {
  id: string
  state: 'RISK_STATE_PENDING_APPROVAL' | 'RISK_STATE_APPROVED'
  counts: boolean
  /**
   * Identities (`type:id`) of the items that it covers, frozen when it was accepted, with the conditions in which it covers
   * them; no condition: every one.
   */
  covered: ReadonlyMap<string, readonly string[]>
  acceptedBy: RiskPerson
  /** Undefined while it is pending. */
  approvedBy: RiskPerson | undefined
}

export interface RiskPerson {
  userId: string
  displayName: string
}

/** An item as a condition lists it. `type:id` is its identity from verdict to verdict and in risks. */
export type EvidenceItem = Omit<z.input<typeof Evidence>, 'since' | 'new'>

/** The identity of an item, equal in every verdict and after a merge. */
export function identity({ type, id }: { type: string; id: string }): string {
  return `${type}:${id}`
}
