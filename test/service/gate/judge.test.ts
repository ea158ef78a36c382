import { expect, test } from 'vitest'
import { defaultGatePolicy } from '../../../src/contract/quality-gate/policy.ts'
import { judge, type Judged, type Judgement } from '../../../src/service/gate/judge/index.ts'
import {
  exclusion,
  failed,
  issue,
  judged,
  now,
  passing,
  requirement,
  result,
  risk,
  suspectLink,
  testCase,
} from './product.ts'

const redTest = testCase({ id: 't2', key: 'TC-2', newest: failed })
const withRed = passing({ tests: [testCase({ id: 't1', key: 'TC-1' }), redTest] })

function condition(judgement: Judgement, id: string) {
  return judgement.conditions.find((one) => one.id === id)!
}

function judgeFacts(facts: Judged['facts'], rest: Partial<Judged> = {}): Judgement {
  return judge(judged(facts, rest))
}

test('a product with verified requirements and nothing against it passes, and says what was not evaluated', () => {
  const { status, status_reason: reason } = judgeFacts(passing())
  expect(status).toBe('VERDICT_STATUS_PASS')
  expect(reason).toMatchInlineSnapshot(
    `"All 8 evaluated conditions hold; not evaluated: overall_coverage, flaky_ratio."`,
  )
})

test('a failing test fails the gate and says what would pass', () => {
  const verdict = judgeFacts(withRed)
  expect(verdict.status).toBe('VERDICT_STATUS_FAIL')
  expect(verdict.status_reason).toBe('1 blocking condition fails: failing_tests.')
  expect(condition(verdict, 'failing_tests')).toMatchObject({
    status: 'CONDITION_STATUS_FAIL',
    actual: 1,
    sample: 2,
    to_pass: 1,
    message: '1 of 2 tests fails; the policy allows none.',
    evidence: [{ type: 'test', id: 't2', key: 'TC-2', state: 'RESULT_STATUS_FAILED', new: true }],
  })
})

test('a pending risk does not help; an approved one passes with risk and names both people', () => {
  const covered = new Map([['test:t2', []]])
  const pending = judgeFacts(withRed, {
    risks: [risk({ state: 'RISK_STATE_PENDING_APPROVAL', counts: false, covered })],
  })
  expect(pending.status_reason).toBe('1 blocking condition fails: failing_tests; 1 accepted risk waits for approval.')
  expect(pending.pending_risk_ids).toEqual(['k9'])

  const approved = judgeFacts(withRed, { risks: [risk({ covered })] })
  expect(approved.status).toBe('VERDICT_STATUS_PASS_WITH_RISK')
  expect(approved.status_reason).toBe(
    'Risks cover every failure of failing_tests: accepted by Ann and approved by Ben.',
  )
  expect(condition(approved, 'failing_tests').waived_by_risk_ids).toEqual(['k9'])

  const alone = judgeFacts(withRed, { risks: [risk({ covered, approvedBy: { userId: 'u1', displayName: 'Ann' } })] })
  expect(alone.status_reason).toContain('single_user_approval let one person both accept and approve k9')
})

test('a test that fails later is not covered by an older risk', () => {
  const later = testCase({ id: 't3', key: 'TC-3', newest: failed })
  const verdict = judgeFacts(
    { ...withRed, tests: [...withRed.tests, later] },
    { risks: [risk({ covered: new Map([['test:t2', []]]) })] },
  )
  expect(verdict.status).toBe('VERDICT_STATUS_FAIL')
  expect(condition(verdict, 'failing_tests').message).toBe(
    '2 of 3 tests fail; the policy allows none. Approved risks cover 1 of 2 items.',
  )
})

test('a run without all of its shards leaves the verdict open and names the missing ones', () => {
  const incompleteRuns = [{ runId: 'run7', runKey: 'hostile', received: 3, expected: 5, missing: [4, 1] }]
  const open = judgeFacts(passing({ incompleteRuns }))
  expect(open.status).toBe('VERDICT_STATUS_INCONCLUSIVE')
  expect(open.status_reason).toBe('Run run7 has 3 of 5 shards.')
  expect(open.settled_by).toBe(
    'The report of shards 1, 4 (counted from 0) of run run7: send it with the same run key, with `tracegate report` or the tool ingest_test_report.',
  )
  expect(judgeFacts({ ...withRed, incompleteRuns }).status).toBe('VERDICT_STATUS_FAIL')
})

test.each([
  ['no result', undefined],
  ['a skipped result', result({ status: 'RESULT_STATUS_SKIPPED' })],
  ['a result that is too old', result({ stale: true })],
  ['a result of another commit', result({ carried: true })],
])('%s is no evidence', (_, newest) => {
  const verdict = judgeFacts(passing({ requirements: [], tests: [testCase({ newest, linked: false })] }))
  expect(verdict.status).toBe('VERDICT_STATUS_INCONCLUSIVE')
  expect(verdict.status_reason).toBe('No test result in this scope counts.')
})

test('only issues that somebody vouches for fail the gate; the others are shown apart', () => {
  const stranger = issue({ id: 'i1', vouchedBy: '', isNewUnvouched: true })
  const apart = judgeFacts(passing({ issues: [stranger] }))
  expect(apart.status).toBe('VERDICT_STATUS_PASS')
  expect(apart.unvouched).toMatchObject({ new_issues: 1, regressed_issues: 0, evidence: [{ id: 'i1', new: true }] })
  const vouched = judgeFacts(passing({ issues: [issue({ isNew: true })] }))
  expect(condition(vouched, 'new_issues').message).toBe(
    '1 new issue of level fatal or error is open; the policy allows none.',
  )
})

test('a resolved issue that still fires is open; one with its fix in the release, or reopened by strangers, is not', () => {
  const count = (fact: Partial<ReturnType<typeof issue>>) =>
    condition(judgeFacts(passing({ issues: [issue({ isRegressed: true, ...fact })] })), 'regressed_issues').actual
  expect(count({})).toBe(1)
  expect(count({ status: 'resolved' })).toBe(0)
  expect(count({ status: 'resolved', stillFiring: true })).toBe(1)
  expect(count({ isFixed: true })).toBe(0)
  expect(count({ reopenedUnvouched: true })).toBe(0)
})

test('a quarantined test does not fail the gate, but the agent’s quarantine does until a person has reviewed it', () => {
  const tests = [testCase({ id: 't1' }), { ...redTest, quarantined: true }]
  const byAgent = judgeFacts(passing({ tests, exclusions: [exclusion()] }))
  expect(condition(byAgent, 'failing_tests').actual).toBe(0)
  expect(condition(byAgent, 'unreviewed_exclusions')).toMatchObject({
    status: 'CONDITION_STATUS_FAIL',
    evidence: [{ because: 'An agent quarantined the test on 2026-11-20; no person has reviewed it.' }],
  })
  const actor = exclusion().actor
  const reviewed = judgeFacts(passing({ tests, exclusions: [exclusion({ reviewed_by: actor })] }))
  expect(reviewed.status).toBe('VERDICT_STATUS_WARN')
})

test('an agent that resolves an issue whose fix is in the release needs no review', () => {
  const exclusions = [
    exclusion({ kind: 'issue_resolved', item: { type: 'issue', id: 'i9', key: 'SHOP-9', title: '' } }),
  ]
  const status = (isFixed: boolean) =>
    judgeFacts(passing({ exclusions, issues: [issue({ status: 'resolved', isFixed })] })).status
  expect([status(true), status(false)]).toEqual(['VERDICT_STATUS_PASS', 'VERDICT_STATUS_FAIL'])
})

test('evidence keeps the time of the first verdict that listed it, and is new once', () => {
  const first = judgeFacts(withRed)
  const next = judgeFacts(
    { ...withRed, tests: [...withRed.tests, testCase({ id: 't3', key: 'TC-3', newest: failed })] },
    { previous: { conditions: first.conditions, evidence: first.evidenceIdentities }, now: now + 1000 },
  )
  expect(condition(next, 'failing_tests')).toMatchObject({
    new_total: 1,
    evidence: [
      { id: 't3', new: true, since: '2026-11-22T12:00:01.000Z' },
      { id: 't2', new: false, since: '2026-11-22T12:00:00.000Z' },
    ],
  })
  expect(next.changes).toEqual([])
})

test('what a baseline lists is not new, whatever the previous verdict listed', () => {
  const { evidenceIdentities: evidence } = judgeFacts(withRed)
  const later = judgeFacts(withRed, { previous: { conditions: [], evidence: {} }, baseline: { evidence } })
  expect(condition(later, 'failing_tests').new_total).toBe(0)
})

test('a change of a condition since the previous verdict is told', () => {
  const first = judgeFacts(passing())
  const next = judgeFacts(withRed, { previous: { conditions: first.conditions, evidence: first.evidenceIdentities } })
  expect(next.changes).toEqual([
    { condition_id: 'failing_tests', from: 'CONDITION_STATUS_PASS', to: 'CONDITION_STATUS_FAIL' },
  ])
})

test('unverified requirements are listed from cheap to expensive: not run, failing, no test', () => {
  const requirements = [
    requirement({ id: 'a', key: 'REQ-2', state: 'no_test' }),
    requirement({ id: 'b', key: 'REQ-3', state: 'not_run', failing: true }),
    requirement({ id: 'c', key: 'REQ-10', state: 'not_run' }),
    requirement({ id: 'd', key: 'REQ-9', state: 'not_run', suspect: true }),
  ]
  const { evidence, message } = condition(judgeFacts(passing({ requirements })), 'critical_coverage')
  expect(evidence.map(({ key }) => key)).toEqual(['REQ-9', 'REQ-10', 'REQ-3', 'REQ-2'])
  expect(message).toBe(
    '0 of 4 requirements of critical or high priority or risk are verified; the policy requires all.',
  )
})

test('a share of exactly the threshold passes, whatever the rounding', () => {
  const rule = { ...defaultGatePolicy.conditions[1]!, threshold: 0.1 }
  const requirements = Array.from({ length: 30 }, (_, index) =>
    requirement({ id: `r${String(index)}`, state: index < 3 ? 'verified' : 'no_test' }),
  )
  const policy = { ...defaultGatePolicy, conditions: [rule] }
  expect(judgeFacts(passing({ requirements }), { policy }).conditions).toMatchObject([
    {
      status: 'CONDITION_STATUS_PASS',
      to_pass: 0,
      message: '3 of 30 requirements are verified; the policy requires 3.',
    },
  ])
})

test('a suspect link is listed by its test and its requirement', () => {
  const verdict = judgeFacts(passing({ suspectLinks: [suspectLink()] }))
  expect(condition(verdict, 'suspect_links').evidence).toMatchObject([
    { type: 'link', id: 't1/r1', key: 'TC-1 > REQ-1', state: 'LINK_STATE_SUSPECT' },
  ])
})
