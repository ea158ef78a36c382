import { expect, test } from 'vitest'
import type { Verdict } from '../../../src/cli/gate/findings.ts'
import { outcome } from '../../../src/cli/gate/outcome.ts'

const failing = (added: number | undefined): Verdict => ({
  id: 'v-2',
  status: 'VERDICT_STATUS_FAIL',
  baseline_id: 'v-1',
  conditions: [
    {
      id: 'failing_tests',
      status: 'CONDITION_STATUS_FAIL',
      severity: 'CONDITION_SEVERITY_BLOCKING',
      ...(added !== undefined && { new_total: added }),
    },
  ],
})

test.each([
  ['PASS', 0],
  ['WARN', 0],
  ['PASS_WITH_RISK', 0],
  ['FAIL', 1],
  ['INCONCLUSIVE', 2],
] as const)('%s exits with %i', (status, code) => {
  expect(outcome({ id: 'v', status: `VERDICT_STATUS_${status}` }, undefined)).toEqual({ code, allowance: '' })
})

test('a verdict without a status passes nothing', () => {
  expect(outcome({ id: 'v' }, undefined).code).toBe(2)
})

test('--allow inconclusive lets an inconclusive verdict pass and a failing one not', () => {
  expect(outcome({ id: 'v', status: 'VERDICT_STATUS_INCONCLUSIVE' }, 'inconclusive')).toMatchObject({ code: 0 })
  expect(outcome({ id: 'v', status: 'VERDICT_STATUS_FAIL' }, 'inconclusive')).toMatchObject({ code: 1 })
})

test('--allow warn-only exits with 0 and says which code it replaces', () => {
  expect(outcome({ id: 'v', status: 'VERDICT_STATUS_FAIL' }, 'warn-only')).toEqual({
    code: 0,
    allowance: '--allow warn-only: exit code 0 instead of 1',
  })
})

test('with a baseline only what is new fails, and what is not stated may be new', () => {
  expect(outcome(failing(0), undefined).code).toBe(0)
  expect(outcome(failing(1), undefined).code).toBe(1)
  expect(outcome(failing(undefined), undefined).code).toBe(1)
})
