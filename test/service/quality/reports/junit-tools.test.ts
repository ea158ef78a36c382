import { expect, test } from 'vitest'
import { expectAsStated, fixtureText, recorded, rowOf, statedTitles, word } from './stated.ts'

test.each([
  ['vitest/report', 'vitest'],
  ['jest/file', 'jest'],
  ['mocha/mocha-junit-reporter', 'mocha'],
  ['mocha/xunit', 'mocha'],
  ['node-test/report', 'node:test'],
  ['playwright/plain', 'playwright'],
  ['playwright/retries', 'playwright'],
  ['pytest/xunit1', 'pytest'],
  ['pytest/xunit2', 'pytest'],
  ['pytest/rerun', 'pytest'],
  ['gotestsum/plain', 'go'],
  ['gotestsum/rerun', 'go'],
])('%s.xml has every case, status, retry, skip and duration as its tool states them', (path, framework) => {
  expectAsStated(`junit/${path}.xml`, `junit/${path}.json`)
  expect(recorded(`junit/${path}.xml`).framework).toBe(framework)
})

test('jest-junit without options makes one title of suites and name, and every case has it', () => {
  const { cases, framework } = recorded('junit/jest/default.xml')
  expect(cases.map((one) => `${word(one)} ${one.name}`)).toEqual(statedTitles('junit/jest/default.json'))
  expect(framework).toBe('jest')
})

test('a Surefire report has every failure, error, flake and run that Maven printed', () => {
  const cases = ['CartTest', 'BrokenSetupTest'].flatMap(
    (name) => recorded(`junit/surefire/TEST-com.example.cart.${name}.xml`).cases,
  )
  const console = fixtureText('junit/surefire/console.txt')
  const printed = new Map<string, string>()
  for (const [, section, text] of console.matchAll(
    /(Failures|Errors|Flakes): \n([\s\S]*?)(?=\[INFO\] \n\[\w+\] (?:Errors|Flakes|\n)|$)/gu,
  )) {
    for (const [, title, runs] of text!.matchAll(/\] com\.example\.cart\.(\S+)\n((?:\[\w+\]   Run .*\n)+)/gu)) {
      printed.set(title!, `${section!} ${String(runs!.split('\n').length - 1)}`)
    }
  }
  const sections: Record<string, string> = { failed: 'Failures', error: 'Errors', flaky: 'Flakes' }
  const read = cases
    .filter((one) => word(one) in sections)
    .map((one): [string, string] => [titleOf(one), `${sections[word(one)]!} ${String(one.attempts)}`])
  expect(Object.fromEntries(read)).toEqual(Object.fromEntries(printed))
  expect(printed.size).toBe(6)
  const count = (status: string) => cases.filter((one) => word(one) === status).length
  const said = `Tests run: ${String(cases.length)}, Failures: ${String(count('failed'))}, Errors: ${String(count('error'))}, Skipped: ${String(count('skipped'))}, Flakes: ${String(count('flaky'))}`
  expect(console).toContain(said)
})

/** As Maven prints it: the class that failed as a whole has no case. */
function titleOf({ suite_path, name }: { suite_path: string[]; name: string }): string {
  const own = suite_path[0]!.replace('com.example.cart.', '')
  return name === suite_path[0] ? `${own}.<beforeAll>` : `${own}.${name}`
}

test('a Surefire case has the path of its class, message, trace and reason of a skip', () => {
  const { cases, framework } = recorded('junit/surefire/TEST-com.example.cart.CartTest.xml')
  expect(framework).toBe('surefire')
  expect(new Set(cases.map(({ file_path }) => file_path))).toEqual(new Set(['com/example/cart/CartTest']))
  const named = (name: string) => cases.find((one) => one.name === name)!
  expect(named('rejectsNegativeQuantity_REQ_12')).toMatchObject({
    suite_path: ['com.example.cart.CartTest'],
    message: 'quantity < 0 & "negative" ==> expected: <3> but was: <4>',
    trace: expect.stringMatching(
      /^org\.opentest4j\.AssertionFailedError: quantity < 0[\s\S]+CartTest\.java:16\)/u,
    ) as string,
    duration_ms: 19,
  })
  expect(named('flakyError')).toMatchObject({ status: 'RESULT_STATUS_FLAKY', attempts: 3, message: 'try 1' })
  expect(named('disabled')).toMatchObject({ message: 'waits for REQ-7', trace: '' })
  expect(named('noLines').suite_path).toEqual(['com.example.cart.CartTest$WhenEmpty'])
})

test('the .NET shapes have arguments in names, whole names shortened, and failures without a trace', () => {
  const logger = recorded('junit/dotnet/testlogger.xml')
  expect(logger.framework).toBe('dotnet')
  expect(logger.cases.map(rowOf)).toEqual([
    'passed 1x  | Shop.Tests.CartTests > AddsUp | ',
    'failed 1x  | Shop.Tests.CartTests > RefusesNegativeQuantity(-1,"A") | ',
    'passed 1x  | Shop.Tests.CartTests > RefusesNegativeQuantity(1,"A") | ',
    'skipped 1x  | Shop.Tests.CartTests > Ignored | ',
    'failed 1x  | Shop.Tests.FailingOneTimeSetUp > Never | ',
    'passed 1x  | Shop.Tests.OrderTests > HasTotal | ',
  ])
  expect(logger.cases.map((one) => one.duration_ms)).toEqual([407, 21, 0, 0, 0, 9])
  expect(logger.cases[1]!.message).toBe('Expected: greater than 0\n  But was:  -1')
  expect(logger.started_at).toBe(Date.UTC(2026, 10, 21, 7, 42, 6))
  const xunit = recorded('junit/dotnet/xunit-to-junit.xml')
  expect(xunit.cases.map((one) => [word(one), one.name, one.message.split('\\r')[0]])).toEqual([
    ['passed', 'AddsUp', ''],
    ['failed', 'RefusesNegativeQuantity', 'Assert.Equal() Failure'],
    ['skipped', 'Later', 'waits for REQ-7'],
  ])
})

test('the shape of go-junit-report has the reason below the word Failed', () => {
  const { cases, framework } = recorded('junit/go-junit-report/report.xml')
  expect(framework).toBe('go')
  expect(cases.map((one) => [word(one), one.name, one.message])).toEqual([
    ['passed', 'TestAddsUp', ''],
    ['failed', 'TestCart', 'Failed'],
    ['failed', 'TestCart/fails', 'cart_test.go:22: no price'],
    ['failed', 'TestCart/fails#01', 'cart_test.go:23: no price'],
    ['skipped', 'TestSkipped', 'cart_test.go:16: waits for REQ-7'],
  ])
  expect(cases.every(({ suite_path }) => suite_path.join() === 'example.com/shop/cart')).toBe(true)
})

test('the shape of GoogleTest has a disabled case as skipped, and file, line, time and requirements of each', () => {
  const { cases, framework } = recorded('junit/googletest/report.xml')
  expect(framework).toBe('googletest')
  expect(cases.map(word)).toEqual(['passed', 'failed', 'skipped', 'skipped'])
  expect(cases[0]).toMatchObject({
    file_path: 'cart_test.cpp',
    line: 2,
    suite_path: ['CartTest'],
    references: ['REQ-3,REQ-1'],
    labels: { requirements: 'REQ-3,REQ-1', status: 'run', result: 'completed' },
    started_at: Date.UTC(2026, 10, 21, 10),
  })
  // Its own time is unknown: that of its suite.
  expect(cases[2]!.started_at).toBe(Date.UTC(2026, 10, 21, 10))
})

test('suites within suites of PHPUnit have each case once, under its class and file', () => {
  const { cases, framework } = recorded('junit/phpunit/report.xml')
  expect(framework).toBe('phpunit')
  const file = '/home/user/project/tests/CartTest.php'
  expect(cases.map(rowOf)).toEqual([
    `passed 1x ${file} | Tests.CartTest > testAddsUp | `,
    `failed 1x ${file} | Tests.CartTest > testRefusesNegativeQuantity | `,
    `error 1x ${file} | Tests.CartTest > testThrows | `,
    `skipped 1x ${file} | Tests.CartTest > testTakes with data set #0 | `,
  ])
})

test('a case of the same test has one identity in both families of pytest', () => {
  const rows = (family: string) => recorded(`junit/pytest/${family}.xml`).cases.map(rowOf)
  expect(rows('xunit2')).toEqual(rows('xunit1'))
})

test('terminal colours are removed from messages, and traces keep their lines', () => {
  const named = (path: string, name: string) => recorded(path).cases.find((one) => one.name === name)!
  expect(named('junit/node-test/report.xml', 'throws').message).toBe('no price')
  expect(named('junit/mocha/xunit.xml', 'throws').message).toBe('no price')
  expect(named('junit/gotestsum/plain.xml', 'TestRefusesNegative').trace).toMatch(/: adding green\n.+"negative"\n/u)
})

test('the requirement of an annotation or a recorded property is a reference and a label', () => {
  for (const path of ['junit/playwright/plain.xml', 'junit/pytest/xunit2.xml']) {
    const [first] = recorded(path).cases.filter(({ references }) => references.length > 0)
    expect(first).toMatchObject({ references: ['REQ-1'], labels: { requirement: 'REQ-1' } })
  }
})
