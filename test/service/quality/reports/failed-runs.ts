/** What the cases of a run that failed outside of them have as a result: all of them passed. */
export interface FailedRun {
  /** Name of the report. */
  name: string
  /** The report of a run of these cases in which nothing failed. */
  good: (names: readonly string[]) => string
  /** The same run, which its runner ended with another exit code than 0. */
  failed: (names: readonly string[]) => string
}

const json = (value: unknown) => JSON.stringify(value)
const points = (names: readonly string[]) => names.map((name, index) => `ok ${String(index + 1)} - ${name}\n`).join('')
const plan = (count: number) => `1..${String(count)}\n`
const tap = (names: readonly string[]) => `TAP version 14\n${plan(names.length)}${points(names)}`

const junit = (names: readonly string[], { attributes = '', inside = '', around = '' } = {}) =>
  `<testsuites>${around}<testsuite name="cart"${attributes}>${names.map((name) => `<testcase classname="cart" name="${name}"/>`).join('')}${inside}</testsuite></testsuites>`

const file = (names: readonly string[], more: object = {}) => ({
  name: '/app/cart.test.ts',
  status: 'passed',
  assertionResults: names.map((title) => ({ ancestorTitles: ['cart'], title, status: 'passed', failureMessages: [] })),
  ...more,
})
const vitest = (names: readonly string[], more: object = {}, top: object = {}) =>
  json({ testResults: [file(names, more)], success: true, ...top })
const jest = (names: readonly string[], more: object = {}, top: object = {}) =>
  vitest(names, more, { numRuntimeErrorTestSuites: 0, wasInterrupted: false, ...top })

const playwright = (names: readonly string[], more: object = {}) =>
  json({
    config: { rootDir: '/app' },
    suites: [{ title: 'cart.spec.ts', file: 'cart.spec.ts', specs: names.map((title) => playwrightSpec(title)) }],
    errors: [],
    ...more,
  })
const playwrightSpec = (title: string, status = 'expected', result = 'passed') => ({
  title,
  file: 'cart.spec.ts',
  tests: [{ status, projectName: 'chromium', results: [{ status: result, errors: [] }] }],
})

const ctrf = (names: readonly string[], failed = 0) =>
  json({
    reportFormat: 'CTRF',
    results: {
      tool: { name: 'x' },
      summary: { tests: names.length, failed },
      tests: names.map((name) => ({ name, status: 'passed', duration: 1, suite: ['cart'] })),
    },
  })

const tapRun = (failed: FailedRun['failed']): FailedRun => ({ name: 'test/cart.t.tap', good: tap, failed })
const junitRun = (more: Parameters<typeof junit>[1]): FailedRun => ({
  name: 'junit.xml',
  good: (names) => junit(names),
  failed: (names) => junit(names, more),
})

const go = (names: readonly string[], end: string, more: object = {}) =>
  [
    ...names.map((Test) => ({ Action: 'pass', Package: 'shop/cart', Test })),
    { Action: end, Package: 'shop/cart', ...more },
  ]
    .map((event) => `${json(event)}\n`)
    .join('')
const goRun = (failed: FailedRun['failed']): FailedRun => ({
  name: 'go.json',
  good: (names) => go(names, 'pass'),
  failed,
})

const trx = (names: readonly string[], summary = '<ResultSummary outcome="Completed"/>') =>
  `<TestRun><Results>${names.map((name) => `<UnitTestResult testId="1" testName="${name}" outcome="Passed"/>`).join('')}</Results><TestDefinitions><UnitTest id="1"><TestMethod className="Cart"/></UnitTest></TestDefinitions>${summary}</TestRun>`
const trxRun = (summary: string): FailedRun => ({
  name: 'run.trx',
  good: (names) => trx(names),
  failed: (names) => trx(names, summary),
})

/** One way of each runner to fail without a case that failed, by its description. */
export const failedRuns: Readonly<Record<string, FailedRun>> = {
  'TAP that stopped before the end of its plan': tapRun((names) => plan(names.length + 4) + points(names)),
  'TAP with more tests than planned': tapRun((names) => plan(names.length - 1) + points(names)),
  'TAP with tests after its plan': tapRun((names) => `${points(names)}${plan(names.length)}ok - late\n`),
  'TAP with a number outside of its plan': tapRun(
    (names) => `${plan(names.length + 1)}${points(names)}ok 77 - other\n`,
  ),
  'TAP that bailed out': tapRun((names) => `${plan(names.length + 2)}${points(names)}Bail out! no database\n`),
  'TAP 14 without a plan': tapRun((names) => `TAP version 14\n${points(names)}`),
  'TAP 13 that was cut off before the plan at its end': tapRun((names) => `TAP version 13\n${points(names)}`),
  'TAP with a subtest that failed though none of its points did': tapRun(
    (names) =>
      `# Subtest: cart\n${(points(names) + plan(names.length)).replaceAll(/^/gmu, '    ').trimEnd()}\nnot ok 1 - cart\n1..1\n`,
  ),
  'JUnit with an error of the suite': junitRun({ inside: '<error message="tear down"/>' }),
  'JUnit with a failure of the suite': junitRun({ inside: '<failure>tear down</failure>' }),
  'JUnit with an error of the run': junitRun({ around: '<error message="no database"/>' }),
  'JUnit that counts an error it does not list': junitRun({ attributes: ' tests="9" failures="0" errors="1"' }),
  'JUnit that counts a failure it does not list': junitRun({ attributes: ' failures="1"' }),
  'Vitest with a file that failed around its cases': {
    name: 'vitest.json',
    good: (names) => vitest(names),
    failed: (names) => vitest(names, { status: 'failed', message: 'no database' }, { success: false }),
  },
  'Vitest that says no success and nothing else': {
    name: 'vitest.json',
    good: (names) => vitest(names),
    failed: (names) => vitest(names, {}, { success: false }),
  },
  'Jest with a file that could not run to its end': {
    name: 'jest.json',
    good: (names) => jest(names),
    failed: (names) => jest(names, { testExecError: { message: 'out of memory', stack: '' } }),
  },
  'Jest that counts a file with a runtime error': {
    name: 'jest.json',
    good: (names) => jest(names),
    failed: (names) => jest(names, {}, { numRuntimeErrorTestSuites: 1 }),
  },
  'Jest that was interrupted': {
    name: 'jest.json',
    good: (names) => jest(names),
    failed: (names) => jest(names, {}, { wasInterrupted: true }),
  },
  'Playwright with an error outside of tests': {
    name: 'playwright.json',
    good: (names) => playwright(names),
    failed: (names) => playwright(names, { errors: [{ message: 'teardown', location: { file: '/app/teardown.ts' } }] }),
  },
  'Playwright that counts an unexpected result it does not list': {
    name: 'playwright.json',
    good: (names) => playwright(names),
    failed: (names) => playwright(names, { stats: { unexpected: 1 } }),
  },
  'CTRF that counts a failure it does not list': {
    name: 'ctrf.json',
    good: (names) => ctrf(names),
    failed: (names) => ctrf(names, 1),
  },
  'go test with a package that failed without a test': goRun((names) => go(names, 'fail')),
  'go test with a package that was not built': goRun((names) => go(names, 'fail', { FailedBuild: 'shop/cart' })),
  'go test with a package that has no result': goRun((names) => go(names, 'output')),
  'go test whose report is cut off after a package': goRun((names) => `${go(names, 'pass')}{"Action":"star`),
  'TRX of a run that was aborted': trxRun('<ResultSummary outcome="Aborted"/>'),
  'TRX of a run that failed without a test': trxRun('<ResultSummary outcome="Failed"/>'),
  'TRX that counts a failure it does not list': trxRun(
    '<ResultSummary outcome="Completed"><Counters failed="1"/></ResultSummary>',
  ),
  'TRX of a run whose test host crashed': trxRun(
    '<ResultSummary><RunInfos><RunInfo outcome="Error"><Text>crashed</Text></RunInfo></RunInfos></ResultSummary>',
  ),
}
