import { defaultGatePolicy } from '../../../src/contract/quality-gate/policy.ts'
import type {
  ExclusionFact,
  GateFacts,
  IssueFact,
  LinkFact,
  RequirementFact,
  ResultFact,
  RiskFact,
  TestFact,
} from '../../../src/service/gate/facts.ts'
import type { Judged } from '../../../src/service/gate/judge/index.ts'

export const now = Date.parse('2026-11-22T12:00:00.000Z')

/** A product that passes: a verified critical requirement, and its test that passed. */
export function passing(facts: Partial<GateFacts> = {}): GateFacts {
  return {
    requirements: [requirement({ id: 'r1', key: 'REQ-1' })],
    tests: [testCase({ id: 't1', key: 'TC-1' })],
    suspectLinks: [],
    issues: [],
    exclusions: [],
    incompleteRuns: [],
    elsewhere: [],
    isUnexposed: false,
    ...facts,
  }
}

export function judged(facts: GateFacts, rest: Partial<Judged> = {}): Judged {
  return { facts, policy: defaultGatePolicy, risks: [], previous: undefined, baseline: undefined, now, ...rest }
}

export function requirement(fact: Partial<RequirementFact> = {}): RequirementFact {
  return {
    id: 'r9',
    key: 'REQ-9',
    title: 'A requirement',
    priority: 'PRIORITY_CRITICAL',
    risk: 'RISK_LEVEL_LOW',
    componentIds: [],
    state: 'verified',
    failing: false,
    suspect: false,
    ...fact,
  }
}

export function testCase(fact: Partial<TestFact> = {}): TestFact {
  return {
    id: 't9',
    key: 'TC-9',
    title: 'a test',
    namesKnown: true,
    componentIds: [],
    issueId: '',
    linked: true,
    linkedToImportant: true,
    quarantined: false,
    newest: result(),
    runs: 1,
    flakyRuns: 0,
    ...fact,
  }
}

export function result(fact: Partial<ResultFact> = {}): ResultFact {
  return {
    status: 'RESULT_STATUS_PASSED',
    at: now - 60_000,
    commitSha: 'c0ffee0',
    sender: 'ci',
    stale: false,
    carried: false,
    ...fact,
  }
}

export const failed = result({ status: 'RESULT_STATUS_FAILED' })

export function issue(fact: Partial<IssueFact> = {}): IssueFact {
  return {
    id: 'i9',
    key: 'SHOP-9',
    title: 'An issue',
    level: 'error',
    status: 'unresolved',
    componentId: '',
    vouchedBy: 'server_key',
    isNew: false,
    isNewUnvouched: false,
    isRegressed: false,
    isRegressedUnvouched: false,
    reopenedUnvouched: false,
    isFixed: false,
    stillFiring: false,
    ...fact,
  }
}

export function suspectLink(fact: Partial<LinkFact> = {}): LinkFact {
  return { testId: 't1', requirementId: 'r1', key: 'TC-1 > REQ-1', title: 'a test', ...fact }
}

export function exclusion(fact: Partial<ExclusionFact> = {}): ExclusionFact {
  return {
    id: 'x9',
    kind: 'quarantined',
    item: { type: 'test', id: 't8', key: 'TC-8', title: 'a flaky test' },
    actor: { type: 'ACTOR_TYPE_AGENT', id: 'k1', display_name: 'agent', user_id: 'u1' },
    by_agent: true,
    at: '2026-11-20T10:00:00.000Z',
    reason: '',
    reviewed_by: null,
    reviewed_at: null,
    ...fact,
  }
}

export function risk(fact: Partial<RiskFact> = {}): RiskFact {
  return {
    id: 'k9',
    state: 'RISK_STATE_APPROVED',
    counts: true,
    covered: new Map(),
    acceptedBy: { userId: 'u1', displayName: 'Ann' },
    approvedBy: { userId: 'u2', displayName: 'Ben' },
    ...fact,
  }
}
