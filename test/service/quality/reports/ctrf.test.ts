import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCtrf } from '../../../../src/service/quality/reports/json/ctrf.ts'
import { parseJestJson } from '../../../../src/service/quality/reports/json/jest.ts'
import { parsePlaywrightJson } from '../../../../src/service/quality/reports/json/playwright.ts'
import type { ReportCase } from '../../../../src/service/quality/reports/model/report.ts'
import { plainText } from '../../../../src/service/quality/reports/model/text.ts'
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

const vitest = parseCtrf(fixture('ctrf/vitest.json'))
const oldVitest = parseCtrf(fixture('ctrf/vitest-2.1.json'))
const jest = parseCtrf(fixture('ctrf/jest.json'))
const mocha = parseCtrf(fixture('ctrf/mocha.json'))
const playwright = parseCtrf(fixture('ctrf/playwright.json'))

/** What two reports of the same run say alike about a case. */
const outcome = (one: ReportCase) => [identity(one), shortStatus(one), one.attempts, one.duration_ms]
const sorted = (rows: unknown[][]) => rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
const ran = (one: ReportCase) => !one.name.startsWith('<')

test("Jest's run has the same cases, statuses, attempts and durations as in its JSON", () => {
  const json = parseJestJson(fixture('jest/report.json')).cases.filter(ran)
  expect(json).toHaveLength(21)
  expect(sorted(jest.cases.map(outcome))).toEqual(sorted(json.map(outcome)))
  expect(jest).toMatchObject({ format: 'REPORT_FORMAT_CTRF', framework: 'jest', warnings: [] })
  // Only the suite before it is taken off a name, once.
  expect(caseNamed(jest, 'cart is empty at first').suite_path).toEqual(['cart'])
})

test("Vitest's run has the same cases, statuses, attempts and durations as in its JSON", () => {
  const json = parseVitestJson(fixture('vitest/report.json')).cases.filter(ran)
  // The reporter joins titles by ` > `: one that holds it cannot be told apart.
  const isPlain = (one: ReportCase) => !one.suite_path.concat(one.name).some((title) => title.includes('€'))
  expect(json).toHaveLength(20)
  expect(sorted(vitest.cases.filter(isPlain).map(outcome))).toEqual(sorted(json.filter(isPlain).map(outcome)))
  const joined = (one: ReportCase) => [...one.suite_path, one.name].join(' > ')
  expect(vitest.cases.map(joined).toSorted()).toEqual(json.map(joined).toSorted())
})

test('the reporter for Vitest 2 writes allowed retries: they count only if the case has a failure', () => {
  const json = parseVitestJson(fixture('vitest/report-2.1.json'))
  // It has the direct children of the outermost suites, and writes none of the suites.
  const direct = oldVitest.cases.filter((one) => json.cases.some(({ name }) => name === one.name))
  expect(direct).toHaveLength(12)
  for (const one of direct) {
    const told = caseNamed(json, one.name)
    expect([one.name, fileOf(one), shortStatus(one)]).toEqual([told.name, fileOf(told), shortStatus(told)])
  }
  expect(caseNamed(oldVitest, 'fails three times').attempts).toBe(3)
  expect(caseNamed(oldVitest, 'checks softly, then passes').attempts).toBe(2)
})

test("Playwright's run has the same cases, projects, statuses and attempts as in its JSON", () => {
  const json = parsePlaywrightJson(fixture('playwright/report.json')).cases
  // A test that passes although it is expected to fail: the reporter says it passed.
  const isAgreed = (one: ReportCase) => one.name !== 'passes against expectation'
  const told = (one: ReportCase) => [identity(one), shortStatus(one), one.attempts, one.tags, one.references]
  expect(json).toHaveLength(39)
  expect(sorted(playwright.cases.filter(isAgreed).map(told))).toEqual(sorted(json.filter(isAgreed).map(told)))
  expect(playwright.cases.map(identity).toSorted()).toEqual(json.map(identity).toSorted())
  // It writes the seconds of a start, and the milliseconds of the run's.
  for (const one of playwright.cases) {
    expect(one.started_at).toBeGreaterThanOrEqual(playwright.started_at! - 1000)
    expect(one.started_at).toBeLessThanOrEqual(playwright.finished_at!)
  }
})

test('a test that Playwright interrupted has failed', () => {
  const { cases } = parseCtrf(fixture('ctrf/playwright-stopped.json'))
  expect(cases.map((one) => [fileOf(one), one.name, shortStatus(one)])).toEqual([
    ['e2e-stopped/a.spec.mjs', 'fails at once', 'FAILED'],
    ['e2e-stopped/b.spec.mjs', 'is interrupted', 'FAILED'],
  ])
})

test("Mocha's run has the cases and statuses that it printed", () => {
  const printed: string[] = []
  const suites: string[] = []
  const tree = fixtureText('ctrf/mocha-printed.txt').split(/^ {2}\d+ passing/mu)[0]!
  for (const [, indent, mark, title] of tree.matchAll(/^ {2}( *)(?:(✔|-|\d+\)) )?(.*?)(?: \(\d+ms\))?$/gmu)) {
    suites.splice(indent!.length / 2, Infinity)
    if (mark === undefined) suites[indent!.length / 2] = title!
    else printed.push(`${[...suites, title].join(' ')}: ${mark.replace(/\d+\)/u, '✘')}`)
  }
  const marks: Record<string, string> = { PASSED: '✔', FLAKY: '✔', FAILED: '✘', SKIPPED: '-' }
  const read = mocha.cases.map((one) => `${[...one.suite_path, one.name].join(' ')}: ${marks[shortStatus(one)]!}`)
  expect(printed).toHaveLength(13)
  expect(read.toSorted()).toEqual(printed.toSorted())
  expect(caseNamed(mocha, 'cart passes on its third try')).toMatchObject({ status: 'RESULT_STATUS_FLAKY', attempts: 3 })
  expect(caseNamed(mocha, 'cart fails three times')).toMatchObject({ status: 'RESULT_STATUS_FAILED', attempts: 3 })
  expect(mocha.cases.find((one) => Object.keys(one.labels).length > 0)).toMatchObject({
    labels: { requirement: 'REQ-7', weight: '3' },
    references: ['REQ-8', 'SHOP-1'],
  })
})

const report = (tests: unknown[], tool = 'some tool') => ({
  reportFormat: 'CTRF',
  specVersion: '0.0.0',
  results: { tool: { name: tool }, summary: {}, tests },
})
const read = (fields: object, tool?: string) =>
  parseCtrf(report([{ name: 'adds', status: 'passed', duration: 1, ...fields }], tool)).cases[0]!

test("pytest's node ids lose the file and the classes that they repeat", () => {
  const place = { filePath: 'tests/test_cart.py', suite: ['tests/test_cart.py', 'TestCart'] }
  expect(read({ ...place, name: 'tests/test_cart.py::TestCart::test_total[a::b]' }, 'pytest')).toMatchObject({
    file_path: 'tests/test_cart.py',
    suite_path: ['TestCart'],
    name: 'test_total[a::b]',
  })
  // An earlier version of its plugin.
  expect(read({ name: 'tests/test_cart.py::test_total', file_path: 'tests/test_cart.py' }, 'pytest')).toMatchObject({
    file_path: 'tests/test_cart.py',
    name: 'test_total',
  })
})

test('the browser without its version and the device are the project', () => {
  expect(read({ browser: 'Chrome 127.0.6533.72' }).project).toBe('Chrome')
  expect(read({ browser: 'webkit', device: 'iPhone 15' }).project).toBe('webkit iPhone 15')
  expect(read({}).project).toBe('')
})

test('a suite given as text is split at its separator', () => {
  expect(read({ suite: 'cart > totals' }).suite_path).toEqual(['cart', 'totals'])
  expect(read({ suite: ['cart > totals'] }).suite_path).toEqual(['cart > totals'])
})

test('tags, labels, extra and annotations become tags, labels and references', () => {
  const one = read({
    tags: ['@smoke', 'REQ-1', 'smoke', ' '],
    labels: { priority: 'high', points: 3, requirements: ['REQ-2', 'REQ-3'], nothing: null },
    extra: { owner: 'checkout', deep: { a: 1 }, annotations: [{ type: 'requirement', description: 'REQ-4' }, 7] },
  })
  expect(one).toMatchObject({
    tags: ['smoke', 'REQ-1'],
    labels: { owner: 'checkout', priority: 'high', points: '3' },
    references: ['REQ-2', 'REQ-3', 'REQ-4'],
  })
})

test('a case that passed after a failure is flaky', () => {
  const statusOf = (fields: object) => shortStatus(read(fields))
  expect(statusOf({ flaky: true, retries: 2 })).toBe('FLAKY')
  expect(statusOf({ flaky: true, retries: 2, status: 'failed' })).toBe('FAILED')
  expect(statusOf({ retryAttempts: [{ attempt: 1, status: 'failed' }] })).toBe('FLAKY')
  expect(statusOf({ retryAttempts: [{ attempt: 1, status: 'failed' }], flaky: false })).toBe('PASSED')
  expect(statusOf({ retries: 3 })).toBe('PASSED')
  expect(read({ retries: 3 }).attempts).toBe(1)
  const tells = read({ flaky: true, retries: 1, retryAttempts: [{ attempt: 1, status: 'failed', message: 'gone' }] })
  expect([tells.attempts, tells.message]).toEqual([2, 'gone'])
  // A test that is expected to fail passes with the text of its failure.
  expect(read({ flaky: false, message: 'expected' }).message).toBe('')
})

test('a defect in one test is a warning that does not quote the report', () => {
  const { cases, warnings } = parseCtrf(
    report([
      'no test',
      { status: 'passed' },
      { name: 'a', status: 'broken', duration: 'long', suite: [1], tags: 'x', flaky: 'yes' },
      { name: 'b', status: 'other', duration: -4, line: -1, retries: -1, start: 1e300 },
      { name: 'c', status: 'failed', duration: 1e300, line: 1e300, retries: 1e300 },
    ]),
  )
  expect(
    cases.map((one) => [one.name, shortStatus(one), one.duration_ms, one.line, one.attempts, one.started_at]),
  ).toEqual([
    ['a', 'SKIPPED', 0, 0, 1, null],
    ['b', 'SKIPPED', 0, 0, 1, null],
    ['c', 'FAILED', 1e12, 1e9, 1e9 + 1, null],
  ])
  expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'CASE_UNREADABLE: 1 entries in the list of cases are not objects and were skipped',
    'CASE_WITHOUT_NAME: 1 cases have no name and were skipped',
    'MEMBER_IGNORED: 4 members have the wrong type and were ignored: duration, flaky, suite, tags',
    'STATUS_UNKNOWN: 1 cases have a status that the format does not define; they count as skipped',
  ])
})

test.each([
  ...notObjects,
  { json: { reportFormat: 'CTRF' } },
  { json: { results: [] } },
  { json: { results: { tests: {} } } },
  { json: { reportFormat: 'other', results: { tests: [] } } },
])('$json is refused: not CTRF', ({ json }) => {
  expect(refusal(parseCtrf, json)).toEqual({
    reason: 'REPORT_UNPARSABLE',
    message: expect.stringMatching(
      /^this CTRF report cannot be read: (?:it is not a JSON object|(?:reportFormat|results)[.\w]* is missing or has the wrong type)$/u,
    ) as string,
  })
})

const title = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((text) => plainText(text).trim() === text && text !== '')
const suites = fc.array(
  title.filter((text) => !text.includes('.')),
  { maxLength: 4 },
)
const path = fc
  .array(fc.stringMatching(/^[\wü-]{1,8}$/u), { minLength: 1, maxLength: 4 })
  .map((parts) => `${parts.join('/')}.test.ts`)
const moment = fc.option(fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) }), { nil: null })

const outcomes = fc.oneof(
  fc.record({
    status: fc.constantFrom('RESULT_STATUS_PASSED' as const, 'RESULT_STATUS_SKIPPED' as const),
    attempts: fc.constant(1),
    message: fc.constant(''),
    trace: fc.constant(''),
  }),
  fc.record({
    status: fc.constant('RESULT_STATUS_FAILED' as const),
    attempts: fc.integer({ min: 1, max: 5 }),
    message: title,
    trace: title,
  }),
  fc.record({
    status: fc.constant('RESULT_STATUS_FLAKY' as const),
    attempts: fc.integer({ min: 2, max: 5 }),
    message: title,
    trace: title,
  }),
)
const cases: fc.Arbitrary<ReportCase[]> = fc.array(
  fc
    .tuple(
      fc.record({
        file_path: path,
        suite_path: suites,
        name: title,
        project: fc.constantFrom('', 'firefox', 'Chrome mobile'),
        duration_ms: fc.nat(100_000),
        line: fc.nat(5000),
        tags: fc.uniqueArray(fc.constantFrom('smoke', 'REQ-1', 'naïve'), { maxLength: 3 }),
        labels: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/u), title, { maxKeys: 3, noNullPrototype: true }),
        external_id: fc.constantFrom('', 'T-7'),
        references: fc.array(fc.constantFrom('REQ-2', 'REQ-3'), { maxLength: 2 }),
        started_at: moment,
      }),
      outcomes,
    )
    .map(([place, result]): ReportCase => ({ ...place, ...result })),
  { minLength: 1, maxLength: 12 },
)

const statusNames: Partial<Record<ReportCase['status'], string>> = {
  RESULT_STATUS_PASSED: 'passed',
  RESULT_STATUS_FLAKY: 'passed',
  RESULT_STATUS_FAILED: 'failed',
  RESULT_STATUS_SKIPPED: 'skipped',
}

/** The case as the schema of CTRF writes it. */
function asCtrf(one: ReportCase): object {
  return {
    name: one.name,
    status: statusNames[one.status],
    duration: one.duration_ms,
    filePath: one.file_path,
    suite: one.suite_path,
    flaky: one.status === 'RESULT_STATUS_FLAKY',
    retries: one.attempts - 1,
    line: one.line,
    tags: one.tags,
    labels: one.labels,
    extra: { references: one.references },
    ...(one.message !== '' && { message: one.message, trace: one.trace }),
    ...(one.project !== '' && { browser: one.project }),
    ...(one.external_id !== '' && { testId: one.external_id }),
    ...(one.started_at !== null && { start: one.started_at }),
  }
}

test('cases written as CTRF are read back unchanged', () => {
  fc.assert(
    fc.property(cases, (list) => {
      const json: unknown = JSON.parse(JSON.stringify(report(list.map(asCtrf))))
      expect(parseCtrf(json).cases).toEqual(list)
    }),
    { numRuns: 200 },
  )
})

test('the same run has the same cases as CTRF and as JSON of Vitest and Jest', () => {
  const absolute = (one: ReportCase): ReportCase => ({
    ...one,
    file_path: `/home/user/project/${one.file_path}`,
    project: '',
  })
  fc.assert(
    fc.property(cases, (generated) => {
      const list = generated.map(absolute)
      const told = (all: ReportCase[]) => all.map((one) => [identity(one), shortStatus(one), one.duration_ms])
      const json = {
        testResults: list.map((one) => ({
          name: one.file_path,
          assertionResults: [
            {
              ancestorTitles: one.suite_path,
              title: one.name,
              status: statusNames[one.status],
              duration: one.duration_ms,
              failureMessages: one.message === '' ? [] : [one.message],
            },
          ],
        })),
      }
      const ctrf = told(parseCtrf(report(list.map(asCtrf))).cases)
      expect(told(parseVitestJson(json).cases)).toEqual(ctrf)
      expect(told(parseJestJson(json).cases)).toEqual(ctrf)
    }),
    { numRuns: 100 },
  )
})

test.each(['vitest', 'jest', 'mocha', 'playwright'])(
  'a mutated report of %s is read or refused, never a bug',
  (tool) => {
    expect(readMutated(parseCtrf, fixture(`ctrf/${tool}.json`), 150)).toBeGreaterThan(30)
  },
)
