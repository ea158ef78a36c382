import { expect, test } from 'vitest'
import { parseJestJson } from '../../../../src/service/quality/reports/json/jest.ts'
import {
  caseNamed,
  readMutated,
  fileOf,
  fixture,
  fixtureText,
  notObjects,
  refusal,
  shortStatus,
} from './json-fixtures.ts'

const report = parseJestJson(fixture('jest/report.json'))
const ran = report.cases.filter(({ name }) => name !== '<load error>')
const text = fixtureText('jest/printed.txt')

/** The tree that `--verbose` printed for a file, as `file > suite > name: mark`. */
function printedTree(file: string): string[] {
  const start = text.search(new RegExp(`^ (?:PASS|FAIL) +${file}$`, 'mu'))
  const tree: string[] = []
  const suites: string[] = []
  for (const line of text.slice(start).split('\n').slice(1)) {
    const [, indent = '', mark, title = ''] =
      /^( +)(?:(✓|✕|○ skipped|✎ todo) )?(.*?)(?: \(\d+ ms\))?$/u.exec(line) ?? []
    if (indent === '' || title.startsWith('●')) break
    const depth = indent.length / 2 - 1
    suites.splice(depth, Infinity)
    if (mark === undefined) suites[depth] = title
    else tree.push(`${[file, ...suites, title].join(' > ')}: ${mark}`)
  }
  return tree
}

const marks = { PASSED: ['✓'], FLAKY: ['✓'], FAILED: ['✕'], SKIPPED: ['○ skipped', '✎ todo'] } as const

test('every case has the file, suites and status that Jest printed', () => {
  const printed = ['src/cart.test.js', 'src/nested/focused.test.js'].flatMap(printedTree)
  expect(printed).toHaveLength(19)
  // A file with a hook that failed is printed without its tree.
  const read = ran
    .filter((one) => fileOf(one) !== 'src/nested/hooks.test.js')
    .map((one) => {
      const path = [fileOf(one), ...one.suite_path, one.name].join(' > ')
      const status = shortStatus(one) as keyof typeof marks
      return marks[status].map((mark) => `${path}: ${mark}`).find((line) => printed.includes(line)) ?? `${path}: ?`
    })
  expect(read.toSorted()).toEqual(printed.toSorted())
})

test('every case has the status and duration that jest-junit wrote for the same run', () => {
  const junit = [...fixtureText('jest/junit.xml').matchAll(/<testcase .*? name="(.*?)" time="(.*?)">\s*<(\w+)?/gu)]
  const told = junit.map(([, name, time, child]) => [
    unescaped(name!).trim(),
    Number(time) * 1000,
    child === 'failure',
    child === 'skipped',
  ])
  // It leaves `todo` without a mark, and has a case of its own for a hook.
  const isKnown = (name: unknown) =>
    name !== 'cart merges guest carts' && !String(name).startsWith('Test execution failure')
  const read = ran.map((one) => {
    const status = shortStatus(one)
    return [[...one.suite_path, one.name].join(' '), one.duration_ms, status === 'FAILED', status === 'SKIPPED']
  })
  expect(read.filter(([name]) => isKnown(name))).toEqual(told.filter(([name]) => isKnown(name)))
  expect(read).toHaveLength(21)
})

function unescaped(xml: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
  return xml.replaceAll(/&(\w+);/gu, (_, name: string) => characters[name]!)
}

test('every case has the retries that Jest logged', () => {
  const logged = new Map<string, number>()
  for (const [, name, tries] of text.matchAll(
    /LOGGING RETRY ERRORS {2}(.*)\n((?:(?! LOGGING)[\s\S])*?)(?=^ FAIL|^ LOGGING|^ PASS)/gmu,
  )) {
    logged.set(name!.trim(), [...tries!.matchAll(/^ ?RETRY \d+/gmu)].length)
  }
  expect([...logged.values()]).toEqual([2, 2, 2, 2, 2])
  for (const one of ran) {
    const name = [...one.suite_path, one.name].join(' ')
    expect([name, one.attempts]).toEqual([name, 1 + (logged.get(name) ?? 0)])
    expect([name, shortStatus(one) === 'FLAKY']).toEqual([name, name === 'cart passes on its third try'])
  }
})

test('the totals are those of its summary', () => {
  const count = (status: string) => ran.filter((one) => shortStatus(one) === status).length
  // Tests:       5 failed, 3 skipped, 1 todo, 12 passed, 21 total
  expect([count('FAILED'), count('SKIPPED'), count('PASSED') + count('FLAKY')]).toEqual([5, 4, 12])
  expect(report).toMatchObject({
    format: 'REPORT_FORMAT_JEST_JSON',
    framework: 'jest',
    started_at: 1795246836201,
    finished_at: 1795246838245,
    warnings: [],
  })
})

test('a file that could not be run is one case in error with the reason', () => {
  const files = report.cases.filter(({ name }) => name === '<load error>')
  expect(files.map((one) => [fileOf(one), shortStatus(one), one.message.split('\n')[0]])).toEqual([
    ['src/nested/load.test.js', 'ERROR', "Cannot find module './missing.js' from 'src/nested/load.test.js'"],
    ['src/nested/syntax.test.js', 'ERROR', 'Jest encountered an unexpected token'],
    ['src/nested/empty.test.js', 'ERROR', 'Your test suite must contain at least one test.'],
  ])
})

test('texts have no terminal colours, and the message ends where the stack begins', () => {
  const { message, trace, line } = caseNamed(report, 'rounds half up')
  expect(message).toBe('Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 2\nReceived: 1')
  expect(trace).toContain('at Object.<anonymous> (/home/user/project/src/cart.test.js:17:31)')
  expect(line).toBe(16)
  // Of a flaky case: what made the attempts fail that did.
  expect(caseNamed(report, 'passes on its third try').message).toContain('Received: 2')
  expect(JSON.stringify(report)).not.toMatch(/\\u001b/u)
})

test("Jest's internal results, as its reporters receive them, are read like its JSON", () => {
  const { cases } = parseJestJson({
    testResults: [
      {
        testFilePath: '/home/user/project/a.test.js',
        testResults: [{ title: 'adds', ancestorTitles: [], status: 'passed', invocations: 2 }],
      },
      {
        testFilePath: '/home/user/project/b.test.js',
        testResults: [],
        status: 'failed',
        testExecError: { message: 'gone' },
      },
    ],
  })
  expect(cases.map((one) => [fileOf(one), one.name, shortStatus(one), one.attempts, one.message])).toEqual([
    ['a.test.js', 'adds', 'FLAKY', 2, ''],
    ['b.test.js', '<load error>', 'ERROR', 1, 'gone'],
  ])
})

test.each([...notObjects, { json: { testResults: null } }])('$json is refused: not a report of Jest', ({ json }) => {
  expect(refusal(parseJestJson, json).message).toMatch(/^this Jest JSON report cannot be read: /)
})

test('a mutated report is read or refused, never a bug', () => {
  expect(readMutated(parseJestJson, fixture('jest/report.json'), 300)).toBeGreaterThan(75)
})
