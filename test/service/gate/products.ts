import fc from 'fast-check'
import { defaultGatePolicy } from '../../../src/contract/quality-gate/policy.ts'
import { ExclusionKind } from '../../../src/contract/quality-gate/verdict.ts'
import type { GateFacts, RiskFact } from '../../../src/service/gate/facts.ts'
import type { EarlierVerdict, Judged } from '../../../src/service/gate/judge/index.ts'
import { exclusion, issue, now, requirement, result, risk, suspectLink, testCase } from './product.ts'

/** Mostly the first value, so that products that pass are generated too. */
function mostly<const T>(usual: T, ...others: T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })
}

/** Up to `most` things with the numbers 1, 2, …; 12 is after 2. */
function numbered<F, T>(one: fc.Arbitrary<F>, most: number, build: (fact: F, number: number) => T): fc.Arbitrary<T[]> {
  return fc.array(one, { maxLength: most }).map((facts) => facts.map((fact, index) => build(fact, index * 5 + 2)))
}

const requirements = numbered(
  fc.record({
    priority: mostly('PRIORITY_CRITICAL', 'PRIORITY_HIGH', 'PRIORITY_LOW'),
    risk: mostly('RISK_LEVEL_LOW', 'RISK_LEVEL_HIGH'),
    state: mostly('verified', 'not_run', 'no_test'),
    failing: fc.boolean(),
    suspect: fc.boolean(),
  }),
  8,
  (fact, n) => requirement({ ...fact, id: `r${String(n)}`, key: `REQ-${String(n)}` }),
)

const newest = fc.record({
  status: mostly(
    'RESULT_STATUS_PASSED',
    'RESULT_STATUS_FLAKY',
    'RESULT_STATUS_FAILED',
    'RESULT_STATUS_ERROR',
    'RESULT_STATUS_SKIPPED',
    'RESULT_STATUS_BLOCKED',
  ),
  stale: mostly(false, true),
  carried: mostly(false, true),
  sender: fc.constantFrom('ci', 'person', 'agent'),
  at: fc.constantFrom(now - 1, now - 2),
  commitSha: fc.constantFrom('c1', 'c2'),
})

const tests = numbered(
  fc.record({
    linked: fc.boolean(),
    linkedToImportant: fc.boolean(),
    quarantined: mostly(false, true),
    newest: fc.option(newest.map(result), { nil: undefined, freq: 8 }),
    runs: fc.constantFrom(1, 12, 0),
    flakyRuns: mostly(0, 1),
  }),
  8,
  (fact, n) => testCase({ ...fact, id: `t${String(n)}`, key: `TC-${String(n)}` }),
)

const issues = numbered(
  fc.record({
    level: fc.constantFrom('error', 'fatal', 'warning'),
    status: fc.constantFrom('resolved', 'unresolved', 'ignored'),
    vouchedBy: fc.constantFrom('', 'server_key', 'member'),
    isNew: fc.boolean(),
    isNewUnvouched: fc.boolean(),
    isRegressed: fc.boolean(),
    isRegressedUnvouched: fc.boolean(),
    reopenedUnvouched: fc.boolean(),
    isFixed: fc.boolean(),
    stillFiring: mostly(false, true),
  }),
  4,
  (fact, n) => issue({ ...fact, id: `i${String(n)}`, key: `SHOP-${String(n)}` }),
)

const suspectLinks = numbered(fc.constant({}), 2, (_, n) =>
  suspectLink({ testId: `t${String(n)}`, key: `TC-${String(n)} > REQ-1` }),
)

const exclusions = numbered(
  fc.record({
    kind: fc.constantFrom(...ExclusionKind.options),
    by_agent: mostly(false, true),
    reviewed_by: fc.constantFrom(exclusion().actor, null),
    item: fc
      .constantFrom('i2', 'i7', 'i12')
      .map((id) => ({ type: 'issue' as const, id, key: `SHOP-${id}`, title: '' })),
    at: fc.constantFrom('2026-11-20T10:00:00.000Z', '2026-11-21T10:00:00.000Z'),
  }),
  3,
  (fact, n) => exclusion({ ...fact, id: `x${String(n)}` }),
)

const incompleteRuns = mostly<GateFacts['incompleteRuns']>(
  [],
  [{ runId: 'u1', runKey: '', received: 1, expected: 2, missing: [1] }],
)

/** The facts of small products, most of them without many faults. */
const facts: fc.Arbitrary<GateFacts> = fc.record({
  requirements,
  tests,
  suspectLinks: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: suspectLinks }),
  issues: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: issues }),
  exclusions: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: exclusions }),
  incompleteRuns,
  elsewhere: mostly<readonly string[]>([], ['staging', '', 'ci']),
  isUnexposed: fc.boolean(),
})

/** The default policy, and policies with other limits, severities and samples. */
const policy = fc.oneof(
  fc.constant(defaultGatePolicy),
  fc
    .array(
      fc.record({
        share: fc.constantFrom(0, 0.1, 0.3, 0.5, 0.7, 0.9, 1),
        count: fc.constantFrom(0, 1, 2),
        severity: fc.constantFrom('CONDITION_SEVERITY_BLOCKING' as const, 'CONDITION_SEVERITY_ADVISORY' as const),
        min_sample: fc.constantFrom(0, 1, 3),
        enabled: mostly(true, false),
      }),
      { minLength: 10, maxLength: 10 },
    )
    .map((changes) => ({
      ...defaultGatePolicy,
      conditions: defaultGatePolicy.conditions.map((rule, index) => {
        const { share, count, ...rest } = changes[index]!
        const isShare = ['critical_coverage', 'overall_coverage', 'flaky_ratio'].includes(rule.metric)
        return { ...rule, ...rest, threshold: isShare ? share : count }
      }),
    })),
)

/** The identities of all that a condition could list. */
function identities(all: GateFacts): string[] {
  return [
    ...all.requirements.map(({ id }) => `requirement:${id}`),
    ...all.tests.map(({ id }) => `test:${id}`),
    ...all.issues.map(({ id }) => `issue:${id}`),
    ...all.exclusions.map(({ id }) => `exclusion:${id}`),
    ...all.suspectLinks.map((link) => `link:${link.testId}/${link.requirementId}`),
  ]
}

function risksOn(all: GateFacts): fc.Arbitrary<RiskFact[]> {
  const items = identities(all)
  const conditions = mostly<string[]>([], ['failing_tests', 'critical_coverage'], ['new_issues'])
  const covered = fc
    .tuple(fc.oneof(fc.constant(items), fc.subarray(items)), conditions, fc.array(conditions))
    .map(([chosen, usual, others]) => new Map(chosen.map((item, index) => [item, others[index] ?? usual])))
  return numbered(
    fc.record({
      state: mostly('RISK_STATE_APPROVED', 'RISK_STATE_PENDING_APPROVAL'),
      counts: mostly(true, false),
      covered,
    }),
    2,
    (fact, n) => risk({ ...fact, id: `k${String(n)}` }),
  )
}

function earlierOn(all: GateFacts): fc.Arbitrary<EarlierVerdict | undefined> {
  const listed = fc.subarray(identities(all)).map((ids) => Object.fromEntries(ids.map((id) => [id, now - 1000])))
  const evidence = fc.record({ critical_coverage: listed, failing_tests: listed })
  return fc.option(
    evidence.map((lists) => ({ conditions: [], evidence: lists })),
    { nil: undefined },
  )
}

/** Whole inputs of the judgement. */
export const products: fc.Arbitrary<Judged> = facts.chain((all) =>
  fc.record({
    facts: fc.constant(all),
    policy,
    risks: risksOn(all),
    previous: earlierOn(all),
    baseline: earlierOn(all),
    now: fc.constant(now),
  }),
)
