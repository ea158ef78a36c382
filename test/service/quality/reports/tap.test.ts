import { expect, test } from 'vitest'
import { expectAsStated, parsed, recorded, rowOf, word } from './stated.ts'

test('node:test has every one of the tests that the runner counts, without suites and tests around others', () => {
  expectAsStated('tap/node-test/report.tap', 'tap/node-test/report.json')
  const report = recorded('tap/node-test/report.tap')
  expect(report).toMatchObject({ format: 'REPORT_FORMAT_TAP', framework: 'node:test', warnings: [], started_at: null })
  expect(report.cases.find(({ name }) => name === 'throws')).toMatchObject({
    message: 'no price',
    trace: expect.stringMatching(/^TestContext\.<anonymous> \(.+cart\.test\.mjs:13:32\)\n/u) as string,
    labels: { location: '/home/user/project/cart.test.mjs:13' },
  })
})

test('a case keeps its identity when it fails, though the file is named for failures only', () => {
  const point = (name: string, ok: boolean) =>
    `${ok ? 'ok' : 'not ok'} - ${name}\n  ---\n${ok ? '' : "  location: '/a.test.js:7:1'\n"}  type: 'test'\n  ...\n`
  const passing = parsed(`TAP version 13\n${point('a', true)}${point('b', true)}1..2\n`)
  const failing = parsed(`TAP version 13\n${point('a', false)}${point('b', true)}1..2\n`)
  expect(failing.cases.map((one) => one.file_path)).toEqual(passing.cases.map((one) => one.file_path))
  const all = parsed(`TAP version 13\n${point('a', false)}${point('b', false)}1..2\n`)
  expect(all.cases.map((one) => one.file_path)).toEqual(passing.cases.map((one) => one.file_path))
  expect(all.cases[0]!.labels).toEqual({ location: '/a.test.js:7' })
})

test('tape names the test of its assertions in comments', () => {
  const report = recorded('tap/tape/report.tap')
  expect(report.framework).toBe('tape')
  expect(report.cases.map(rowOf)).toEqual([
    'passed 1x  | adds up [REQ-1] > four | ',
    'failed 1x  | adds up [REQ-1] > one is two | ',
    'skipped 1x  | todo > not yet | ',
    'skipped 1x  | skips an assertion > later | ',
    'passed 1x  | inner > fine | ',
  ])
  expect(report.cases[1]).toMatchObject({ message: 'Error: one is two', line: 0 })
  expect(report.cases[3]!.message).toBe('needs REQ-7')
})

test('node-tap has as many cases as it sums up: 2 passed, 1 failed, 1 skipped, 1 to do', () => {
  const report = recorded('tap/node-tap/report.tap')
  expect(report.cases.map(rowOf)).toEqual([
    'passed 1x  | adds up [REQ-1] > four | ',
    'failed 1x  | adds up [REQ-1] > one is two | ',
    'skipped 1x  | skipped for now | ',
    'skipped 1x  | later | ',
    'passed 1x  | Cart > with a line > has a total | ',
  ])
  expect(report.cases[1]!.labels).toEqual({ location: 't.test.cjs:2' })
})

test('Mocha has what it prints below a failure as reason and trace', () => {
  const { cases } = recorded('tap/mocha/report.tap')
  expect(cases.map((one) => [word(one), one.message])).toEqual([
    ['passed', ''],
    ['passed', ''],
    ['failed', '1 == 2'],
    ['skipped', ''],
    ['skipped', ''],
    ['passed', ''],
    ['failed', 'no price'],
    ['passed', ''],
    ['failed', 'no database'],
  ])
  expect(cases[2]!.trace).toMatch(/test\/cart\.test\.js:6:56/u)
})

test('Test::More has subtests, directives, points without a name and diagnostics in comments', () => {
  const { cases } = recorded('tap/perl/report.tap')
  expect(cases.map(rowOf)).toEqual([
    'passed 1x  | adds up [REQ-1] | ',
    'failed 1x  | one is two | ',
    'skipped 1x  | test 3 | ',
    'skipped 1x  | not yet | ',
    'passed 1x  | Cart > is empty | ',
    'failed 1x  | Cart > has a total | ',
    'passed 1x  | test 6 | ',
  ])
  expect(cases[1]).toMatchObject({ message: "Failed test 'one is two'" })
  expect(cases[5]!.trace).toContain("Failed test 'has a total'")
})

test('a point without number and name has the number of its place in its subtest', () => {
  const tap = '1..4\nnot ok\nok 2 - adds\n# Subtest: cart\n    ok\n    not ok\n    1..2\nnot ok - cart\nok\n'
  expect(parsed(tap).cases.map(rowOf)).toEqual([
    'failed 1x  | test 1 | ',
    'passed 1x  | adds | ',
    'passed 1x  | cart > test 1 | ',
    'failed 1x  | cart > test 2 | ',
    'passed 1x  | test 4 | ',
  ])
})

test('buffered subtests, with diagnostics before them or not, are suites', () => {
  const tap = `TAP version 14
ok 1 - outer # time=12.5ms {
    ok 1 - first # time=1s
    ok 2 - inner {
        not ok 1 - deep
        1..1
    }
    1..2
}
not ok 2 - second
  ---
  message: "set \\"up\\" failed"
  ...
{
    ok 1 - fine
    1..1
}
1..2
`
  expect(parsed(tap).cases.map(rowOf)).toEqual([
    'passed 1x  | outer > first | ',
    'failed 1x  | outer > inner > deep | ',
    // Only the subtest itself failed.
    'blocked 1x  | second > fine | ',
    'error 1x  | second > <run error> | ',
  ])
  expect(parsed(tap).cases[0]!.duration_ms).toBe(1000)
  expect(parsed(tap).cases[3]!.message).toBe('set "up" failed')
})

test('a subtest that is a file is the file of its cases', () => {
  const tap =
    '# Subtest: test/a.test.js\n    # Subtest: Cart\n        ok 1 - adds\n        1..1\n    ok 1 - Cart\n    1..1\nok 1 - test/a.test.js\n1..1\n'
  expect(parsed(tap).cases.map(rowOf)).toEqual(['passed 1x test/a.test.js | Cart > adds | '])
})

test('the diagnostics that matter are read, whatever their style', () => {
  const tap = `not ok 1 - a
  ---
  duration_ms: 1.6
  message: 'it''s'
  stack: |-
    Error: it's
        at a (a.js:1:1)

    and more
  at:
    fileName: 'src/a.js'
    lineNumber: 12
  wanted: { a: &x [1, *x] }
  ...
ok 2 - b
  ---
  location: 'src/a.js:20:1'
  ...
1..2
`
  expect(parsed(tap).cases.slice(0, 1)).toMatchObject([
    {
      duration_ms: 2,
      message: "it's",
      trace: "Error: it's\n    at a (a.js:1:1)\n\nand more",
      file_path: 'src/a.js',
      line: 12,
    },
  ])
})

test.each([
  ['1..3\nok 1 - a\nok 2 - b\n', 'PLAN_MISMATCH', '3 tests were planned and 2 reported'],
  ['ok 1 - a\n', 'PLAN_MISSING', 'it has no plan: the run may be incomplete'],
  ['1..2\nok 1 - a\nBail out! no database\n', 'BAIL_OUT', 'the run bailed out: tests after this line did not run'],
])('%j is read with the warning %s', (tap, code, message) => {
  const report = parsed(tap)
  expect(report.cases.length).toBeGreaterThan(0)
  expect(report.warnings.map((warning) => [warning.code, warning.message])).toEqual([[code, message]])
})

test('a subtest of which fewer tests ran than planned is a warning with its line', () => {
  const tap = '# Subtest: s\n    1..3\n    ok 1 - a\nok 1 - s\n1..1\n'
  expect(parsed(tap).warnings).toEqual([
    { code: 'PLAN_MISMATCH', message: '3 tests were planned and 1 reported', line: 4 },
  ])
})

test('a stream that skips everything is a skipped file with the reason', () => {
  const [one, ...others] = parsed('TAP version 14\n1..0 # SKIP no browser\n').cases
  expect([rowOf(one!), one!.message, others]).toEqual(['skipped 1x  | <file skipped> | ', 'no browser', []])
})
