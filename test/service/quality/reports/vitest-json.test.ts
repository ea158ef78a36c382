import { expect, test } from 'vitest'
import { parseJunit } from '../../../../src/service/quality/reports/junit/index.ts'
import { parseVitestJson } from '../../../../src/service/quality/reports/json/vitest.ts'
import {
  caseNamed,
  readMutated,
  fileOf,
  fixture,
  fixtureText,
  identity,
  notObjects,
  refusal,
  shortStatus,
} from './json-fixtures.ts'

const report = parseVitestJson(fixture('vitest/report.json'))
const ran = report.cases.filter(({ name }) => !name.startsWith('<'))

interface Printed {
  title: string
  line: string
  status: string
  attempts: number
  ms: number
}

/** What the `verbose` reporter printed: ` ✓ src/a.test.ts:6 > suite > name 1ms (retry x2)`. */
function printed(text: string): Printed[] {
  const line = /^ ([✓×↓□]) (\S+?)(?::(\d+))? > (.*?)(?: (\d+)ms(?: \(retry x(\d+)\))?(?: \[.*\])?)?$/gmu
  return [...text.matchAll(line)].map(([, mark, file, at = '', title, ms = '0', retries = '0']) => ({
    title: `${file!} > ${title!}`,
    line: at,
    status: statusOf(mark!, Number(retries)),
    attempts: Number(retries) + 1,
    ms: Number(ms),
  }))
}

function statusOf(mark: string, retries: number): string {
  if (mark === '✓') return retries > 0 ? 'FLAKY' : 'PASSED'
  return mark === '×' ? 'FAILED' : 'SKIPPED'
}

const byTitle = (a: { title: string }, b: { title: string }) => (a.title < b.title ? -1 : 1)

test('every case has the file, line, suites, status, attempts and duration that Vitest printed', () => {
  const told = printed(fixtureText('vitest/printed.txt'))
  const read = ran.map((one): Printed => ({
    title: [fileOf(one), ...one.suite_path, one.name].join(' > '),
    line: String(one.line),
    status: shortStatus(one),
    attempts: one.attempts,
    ms: one.duration_ms,
  }))
  expect(told).toHaveLength(20)
  expect(read.toSorted(byTitle)).toEqual(told.toSorted(byTitle))
})

test('the totals are those of its summary', () => {
  const count = (status: string) => ran.filter((one) => shortStatus(one) === status).length
  // Tests  6 failed | 8 passed | 1 expected fail | 4 skipped, and 1 todo
  expect([count('FAILED'), count('PASSED') + count('FLAKY'), count('SKIPPED')]).toEqual([6, 9, 5])
  expect(report).toMatchObject({
    format: 'REPORT_FORMAT_VITEST_JSON',
    framework: 'vitest',
    started_at: 1795246766108,
    finished_at: 1795246766908,
  })
})

test('a file that could not be run is one case in error with the reason', () => {
  const files = report.cases.filter(({ name }) => name === '<load error>')
  expect(files.map((one) => [fileOf(one), shortStatus(one), one.message])).toEqual([
    ['src/nested/empty.test.mjs', 'ERROR', 'No test suite found in file /home/user/project/src/nested/empty.test.mjs'],
    [
      'src/nested/load.test.mjs',
      'ERROR',
      "Cannot find module './missing.mjs' imported from /home/user/project/src/nested/load.test.mjs",
    ],
    [
      'src/nested/syntax.test.mjs',
      'ERROR',
      'Failed to parse source for import analysis because the content contains invalid JS syntax. If you are using JSX, make sure to name the file with the .jsx or .tsx extension.',
    ],
  ])
})

test('a file whose hooks failed around passing cases is one case in error', () => {
  const errors = report.cases.filter(({ name }) => name === '<run error>')
  expect(errors.map((one) => [fileOf(one), shortStatus(one), one.message])).toEqual([
    ['src/nested/hooks.test.mjs', 'ERROR', 'The file failed, and none of its test cases did: check its hooks.'],
  ])
  expect(report.warnings).toEqual([])
})

test('a failure has its message without the stack, and the stack as trace', () => {
  const { message, trace } = caseNamed(report, 'fails three times')
  expect(message).toBe("AssertionError: expected { currency: 'EUR' } to deeply equal { currency: 'USD' }")
  expect(trace.split('\n').slice(0, 2)).toEqual([message, '    at /home/user/project/src/cart.test.mjs:37:33'])
  expect(caseNamed(report, 'checks softly').message).toBe(
    "AssertionError: expected 1 to be 2 // Object.is equality\n\nAssertionError: expected 'a' to be 'b' // Object.is equality",
  )
  expect(caseNamed(report, 'passes on its third try').message).toContain('expected 2 to be 3')
  expect(caseNamed(report, 'is expected to fail')).toMatchObject({ message: '', trace: '' })
})

test('tags are tags; single values of meta are labels, lists are references', () => {
  expect(caseNamed(report, 'sums prices [REQ-3]').tags).toEqual(['REQ-12', 'slow'])
  expect(caseNamed(report, 'rechnet 円 um')).toMatchObject({
    labels: { requirement: 'REQ-7', weight: '3' },
    references: ['REQ-8', 'SHOP-1'],
  })
})

test('cases are the same ones as in the JUnit report of the same run', () => {
  const junit = parseJunit(fixtureText('vitest/junit.xml')).cases.filter(({ name }) => name !== '<load error>')
  // JUnit joins titles by ` > `: one that holds it cannot be told apart; and hooks are cases there.
  const isPlain = ({ name, suite_path: suites }: { name: string; suite_path: string[] }) =>
    ![...suites, name].some((title) => /€|^beforeAll$|^afterAll$/u.test(title))
  const known = new Set(junit.map(identity))
  expect(ran.filter(isPlain).filter((one) => !known.has(identity(one)))).toEqual([])
})

test('a report of Vitest 2 is read the same way', () => {
  const old = parseVitestJson(fixture('vitest/report-2.1.json'))
  const told = printed(fixtureText('vitest/printed-2.1.txt'))
  const read = new Map(
    old.cases.map((one) => [[fileOf(one), ...one.suite_path, one.name].join(' > '), shortStatus(one)]),
  )
  expect(told.length).toBeGreaterThan(10)
  // Its printed lines do not say that a case was retried.
  const flaky = ['passes on its third try', 'checks softly, then passes']
  for (const { title, status } of told) {
    expect([title, read.get(title)]).toEqual([title, flaky.some((name) => title.endsWith(name)) ? 'FLAKY' : status])
  }
  expect(caseNamed(old, 'passes on its third try').attempts).toBe(3)
})

test.each([...notObjects, { json: { testResults: {} } }, { json: { testResults: 'passed' } }])(
  '$json is refused as no report of Vitest',
  ({ json }) => {
    const { reason, message } = refusal(parseVitestJson, json)
    expect(reason).toBe('REPORT_UNPARSABLE')
    expect(message).toMatch(
      /^this Vitest JSON report cannot be read: (?:it is not a JSON object|testResults is missing or has the wrong type)$/,
    )
  },
)

test('a report without a case is refused as empty', () => {
  expect(refusal(parseVitestJson, { testResults: [] }).reason).toBe('REPORT_EMPTY')
})

test('a defect in one case or file is a warning that does not quote the report', () => {
  const fine = { title: 'fine', status: 'passed', ancestorTitles: ['', ' a '], duration: 1.6, failureMessages: [] }
  const { cases, warnings } = parseVitestJson({
    testResults: [
      'no file',
      { name: 'a.test.ts' },
      {
        name: 'src\\b.test.ts',
        startTime: '5',
        assertionResults: [
          fine,
          { ...fine, title: 'bent', duration: 'long', ancestorTitles: [1], location: { line: 'x' } },
          { ...fine, title: 'new', status: 'exploded' },
          { ...fine, title: '  ' },
          null,
        ],
      },
    ],
  })
  expect(cases.map((one) => [one.file_path, one.suite_path, one.name, shortStatus(one), one.duration_ms])).toEqual([
    ['src/b.test.ts', ['a'], 'fine', 'PASSED', 2],
    ['src/b.test.ts', [], 'bent', 'PASSED', 0],
    ['src/b.test.ts', ['a'], 'new', 'SKIPPED', 2],
  ])
  expect(warnings.map(({ message }) => message)).toEqual([
    '2 entries in the list of files or suites have no list of cases and were skipped',
    '4 members have the wrong type and were ignored: ancestorTitles, duration, location, startTime',
    '1 cases have a status that the format does not define; they count as skipped',
    '1 cases have no name and were skipped',
    '1 entries in the list of cases are not objects and were skipped',
  ])
})

test.each([0, 1, 7.3e12, 8.64e15, 1e300, -1e300])('%d is no time of a run', (time) => {
  const assertionResults = [{ title: 'a', status: 'passed', startAt: time }]
  const file = { name: 'a.test.ts', startTime: time, endTime: time, assertionResults }
  const report = parseVitestJson({ startTime: time, testResults: [file] })
  expect([report.started_at, report.finished_at, report.cases[0]?.started_at]).toEqual([null, null, null])
})

test('a report of more than 200,000 cases is refused', () => {
  const assertionResults = Array.from({ length: 200_001 }, (_, index) => ({ title: `t${index}`, status: 'passed' }))
  const { reason, message } = refusal(parseVitestJson, { testResults: [{ name: 'a.test.ts', assertionResults }] })
  expect([reason, message]).toEqual([
    'REPORT_UNPARSABLE',
    'this Vitest JSON report cannot be read: it has more than 200000 cases; send it in parts with the same run_key',
  ])
})

test('a mutated report is read or refused, never a bug', () => {
  expect(readMutated(parseVitestJson, fixture('vitest/report.json'), 400)).toBeGreaterThan(100)
})
