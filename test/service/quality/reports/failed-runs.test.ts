import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseReport } from '../../../../src/service/quality/reports/index.ts'
import { failedRuns } from './failed-runs.ts'
import { parsed, rowOf } from './stated.ts'

const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z ]{0,20}[a-z]$/u), { minLength: 2, maxLength: 6 })
const isRed = (status: string) => status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR'
const isPass = (status: string) => status === 'RESULT_STATUS_PASSED' || status === 'RESULT_STATUS_FLAKY'

test.each(Object.entries(failedRuns))('%s has an error, and none of its cases passes', (_, { name, good, failed }) => {
  fc.assert(
    fc.property(names, (cases) => {
      const before = parseReport({ name, content: good(cases) }).cases
      expect(before.map((one) => one.status)).toEqual(cases.map(() => 'RESULT_STATUS_PASSED'))
      const after = parseReport({ name, content: failed(cases) }).cases
      expect(after.some(({ status }) => isRed(status))).toBe(true)
      expect(after.filter(({ status }) => isPass(status))).toEqual([])
      for (const title of cases) expect(after.map((one) => one.name)).toContain(title)
    }),
    { numRuns: 25 },
  )
})

test('a suite that failed outside of its cases leaves the passes of other suites', () => {
  const report = parsed(
    '<testsuites><testsuite name="a"><error/><testcase name="x"/></testsuite><testsuite name="b"><testcase name="y"/></testsuite></testsuites>',
  )
  expect(report.cases.map(rowOf)).toEqual([
    'blocked 1x  | a > x | ',
    'passed 1x  | b > y | ',
    'error 1x  | a > <run error> | ',
  ])
})

test('the error of a suite that is alone in its report is a case', () => {
  const [one] = parsed(
    '<testsuite name="cart.t" tests="0"><error message="exit 2">died at line 4</error></testsuite>',
  ).cases
  expect(one).toMatchObject({
    suite_path: ['cart.t'],
    name: '<run error>',
    status: 'RESULT_STATUS_ERROR',
    message: 'exit 2',
    trace: 'died at line 4',
  })
})

test('the counts of a suite whose failure is listed, expected or was repeated say nothing more', () => {
  const suite = (inside: string) => `<testsuite name="s" failures="2">${inside}<testcase name="fine"/></testsuite>`
  const mayFail =
    '<testcase name="x"><skipped message="TEST_CASE tagged with !mayfail"/><failure message="1 == 2"/></testcase>'
  expect(parsed(suite('<testcase name="x"><failure/></testcase>')).cases.map(rowOf)).toEqual([
    'failed 1x  | s > x | ',
    'passed 1x  | s > fine | ',
  ])
  expect(parsed(suite(mayFail)).cases.map(rowOf)).toEqual(['skipped 1x  | s > x | ', 'passed 1x  | s > fine | '])
  expect(parsed(suite('<testcase name="x"><flakyFailure/></testcase>')).cases.map(rowOf)).toEqual([
    'flaky 2x  | s > x | ',
    'passed 1x  | s > fine | ',
  ])
})

test('a case of which every repetition failed has failed, whatever its elements are called', () => {
  const report = parsed('<testsuite name="s"><testcase name="x"><rerunFailure message="no"/></testcase></testsuite>')
  expect(report.cases).toMatchObject([{ status: 'RESULT_STATUS_FAILED', attempts: 2, message: 'no' }])
})

const assertions = [
  { ancestorTitles: [], title: 'x', status: 'failed', failureMessages: ['no'] },
  { ancestorTitles: [], title: 'x', status: 'passed', failureMessages: [] },
]
const inProjects = assertions.map((one) => ({ name: 'a.test.ts', status: one.status, assertionResults: [one] }))
const repeated = ['unexpected', 'expected'].map((status) => ({
  title: 'x',
  file: 'a.spec.ts',
  tests: [{ projectName: '', status, results: [{ status: status === 'expected' ? 'passed' : 'failed' }] }],
}))
test.each([
  ['assertions of tape', 'TAP version 13\n# adds\nnot ok 1 equal\nok 2 equal\n1..2\n# tests 2\n# pass 1\n# fail 1\n'],
  ['projects of Vitest', { success: false, numFailedTests: 1, testResults: inProjects }],
  ['repetitions of Playwright', { config: {}, suites: [{ title: 'a', file: 'a.spec.ts', specs: repeated }] }],
  [
    'cases of JUnit',
    '<testsuite name="s" failures="1"><testcase name="x"><failure/></testcase><testcase name="x"/></testsuite>',
  ],
  [
    'results of TRX',
    '<TestRun><Results><UnitTestResult testName="x" outcome="Failed"/><UnitTestResult testName="x" outcome="Passed"/></Results></TestRun>',
  ],
])('two %s with the same name are a failed case when the first one failed', (_, content) => {
  const { cases } = parseReport({ name: '', content })
  expect(cases.map(({ status }) => status)).toEqual(['RESULT_STATUS_FAILED'])
})

test('a case that failed is kept without a name, one that passed is not', () => {
  const report = parsed('<testsuite name="s"><testcase><failure message="no"/></testcase><testcase/></testsuite>')
  expect(report.cases.map(rowOf)).toEqual(['failed 1x  | s > <unnamed> | '])
  expect(report.warnings.map(({ code }) => code)).toEqual(['CASE_WITHOUT_NAME'])
})

test('a failure that only an attribute tells is a failure', () => {
  const report = parsed(
    '<testsuite name="s"><testcase name="x" status="FAILED"/><testcase name="y" result="ok"/></testsuite>',
  )
  expect(report.cases.map(rowOf)).toEqual(['failed 1x  | s > x | ', 'passed 1x  | s > y | '])
})

test('a flaky test of Playwright fails a run that allows none', () => {
  const spec = {
    title: 'x',
    file: 'a.spec.ts',
    tests: [{ status: 'flaky', results: [{ status: 'failed' }, { status: 'passed' }] }],
  }
  const report = (failOnFlakyTests: boolean) =>
    parsed(JSON.stringify({ config: { failOnFlakyTests }, suites: [{ title: 'a', file: 'a.spec.ts', specs: [spec] }] }))
  expect(report(false).cases.map(({ status }) => status)).toEqual(['RESULT_STATUS_FLAKY'])
  expect(report(true).cases.map(({ status }) => status)).toEqual(['RESULT_STATUS_FAILED'])
})

test('a status that CTRF has no word for counts as its tool means it', () => {
  const report = (rawStatus: string) =>
    parsed(JSON.stringify({ results: { tool: { name: 'x' }, tests: [{ name: 'a', status: 'other', rawStatus }] } }))
  expect(report('interrupted').cases.map(({ status }) => status)).toEqual(['RESULT_STATUS_FAILED'])
  expect(report('todo').cases.map(({ status }) => status)).toEqual(['RESULT_STATUS_SKIPPED'])
})

test('a script that dies before its first test is an error', () => {
  for (const content of ['1..5\n', 'TAP version 14\n', 'Bail out! no database\n'])
    expect(parsed(content).cases.map(rowOf)).toEqual(['error 1x  | <run error> | '])
  expect(parsed('Bail out! no database\n').cases[0]!.message).toBe('The run bailed out: no database')
})

test('a test of node:test around others is a case in no version, and its own failure is an error', () => {
  const run = (type: string, parent: string) =>
    `TAP version 13\n# Subtest: cart\n    # Subtest: adds\n    ok 1 - adds\n      ---\n      type: 'test'\n      ...\n    1..1\n${parent} 1 - cart\n  ---\n  type: '${type}'\n  error: 'hook'\n  ...\n1..1\n`
  for (const type of ['test', 'suite']) {
    expect(parsed(run(type, 'ok')).cases.map(rowOf)).toEqual(['passed 1x  | cart > adds | '])
    expect(parsed(run(type, 'not ok')).cases.map(rowOf)).toEqual([
      'blocked 1x  | cart > adds | ',
      'error 1x  | cart > <run error> | ',
    ])
  }
})
