import { expect, test } from 'vitest'
import { defaultGatePolicy, GatePolicy, GatePolicyInput } from '../../src/contract/quality-gate/policy.ts'

/** What is wrong with a policy of these conditions; each is called `rule` unless told. */
function mistakes(...conditions: object[]): string[] {
  const usual = { id: 'rule', severity: 'BLOCKING' }
  const read = GatePolicyInput.safeParse({ conditions: conditions.map((one) => ({ ...usual, ...one })) })
  return read.success ? [] : read.error.issues.map(({ message }) => message)
}

test.each([
  ['failing_tests', 'GTE', 0, 'failing_tests takes LTE, at most the threshold'],
  ['new_issues', 'LTE', 0.5, 'new_issues is a number of items: the threshold is a whole number, 0 or more'],
  ['stale_results', 'LTE', -1, 'stale_results is a number of items: the threshold is a whole number, 0 or more'],
  ['overall_coverage', 'LTE', 0.8, 'overall_coverage takes GTE, at least the threshold'],
  ['critical_coverage', 'GTE', 100, 'critical_coverage is a share: the threshold is between 0 and 1, 0.8 for 80 %'],
  ['flaky_ratio', 'GTE', 0.1, 'flaky_ratio takes LTE, at most the threshold'],
  ['flaky_ratio', 'LTE', 5, 'flaky_ratio is a share: the threshold is between 0 and 1, 0.8 for 80 %'],
  ['overall_coverage', 'GTE', 0, 'it would always hold: choose another threshold, or set enabled to false'],
  ['flaky_ratio', 'LTE', 1, 'it would always hold: choose another threshold, or set enabled to false'],
])('a condition %s %s %s is refused by its id', (metric, comparator, threshold, mistake) => {
  expect(mistakes({ id: 'mine', metric, comparator, threshold })).toEqual([`condition mine: ${mistake}`])
})

test('a disabled condition may be one that always holds', () => {
  expect(mistakes({ metric: 'flaky_ratio', comparator: 'LTE', threshold: 1, enabled: false })).toEqual([])
})

test('two conditions cannot have one id, because risks name them by it', () => {
  const rule = { metric: 'failing_tests', comparator: 'LTE', threshold: 0 }
  expect(mistakes(rule, { ...rule, id: 'other' })).toEqual([])
  expect(mistakes(rule, rule)).toEqual(['condition rule: there are several with this id'])
})

test('the default policy is one that a request may bring, and an older policy that none may bring can still be read', () => {
  expect(GatePolicyInput.safeParse(defaultGatePolicy)).toMatchObject({ success: true })
  const [first] = defaultGatePolicy.conditions
  const older = {
    ...defaultGatePolicy,
    conditions: [{ ...first!, comparator: 'COMPARATOR_LTE' as const, threshold: 7 }],
  }
  expect(mistakes(...older.conditions)).toHaveLength(1)
  expect(GatePolicy.parse(older)).toEqual(older)
})
