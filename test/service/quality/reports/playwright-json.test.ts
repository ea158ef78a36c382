import { expect, test } from 'vitest'
import { parseJunit } from '../../../../src/service/quality/reports/junit/index.ts'
import { parsePlaywrightJson } from '../../../../src/service/quality/reports/json/playwright.ts'
import {
  caseNamed,
  readMutated,
  fixture,
  fixtureText,
  identity,
  notObjects,
  refusal,
  shortStatus,
} from './json-fixtures.ts'

const report = parsePlaywrightJson(fixture('playwright/report.json'))
const text = fixtureText('playwright/printed.txt')

/** `[desktop] › e2e/rates.spec.mjs:9:3 › in order › breaks`, as the `list` reporter prints a test. */
function titleOf(one: (typeof report.cases)[number]): string {
  const project = one.project === '' ? '' : `[${one.project}] › `
  return `${project}${one.file_path}:${String(one.line)} › ${[...one.suite_path, one.name].join(' › ')}`
}

/** A printed title without its column, and without the tags that are printed behind a title which does not hold them. */
function plainTitle(printed: string): string {
  const title = printed.replace(/(:\d+):\d+ › /u, '$1 › ').replace(/[ ─]*$/u, '')
  return title.endsWith('@regression @money')
    ? title.replace(/ @money$/u, '')
    : title.replace(/(?: @(?!regression)\S+)+$/u, '')
}

/** Titles listed under `16 failed` and the like. */
function listed(heading: RegExp): string[] {
  const [, , lines = ''] = new RegExp(`^  ${heading.source}\n((?:    .*\n)+)`, 'mu').exec(text) ?? []
  return lines
    .trim()
    .split('\n')
    .map((line) => plainTitle(line.trim()))
}

test('every case has the project, file, suites, attempts and duration that Playwright printed', () => {
  const printed = new Map<string, { attempts: number; ms: number }>()
  for (const [, title, ms = '0'] of text.matchAll(/^ {2}[✓✘-] +\d+ (.*?)(?: \(retry #\d+\))?(?: \((\d+)ms\))?$/gmu)) {
    const known = printed.get(plainTitle(title!)) ?? { attempts: 0, ms: 0 }
    printed.set(plainTitle(title!), { attempts: known.attempts + 1, ms: known.ms + Number(ms) })
  }
  expect(printed.size).toBe(39)
  const read = new Map(report.cases.map((one) => [titleOf(one), { attempts: one.attempts, ms: one.duration_ms }]))
  // It prints no duration of a test that was skipped.
  for (const one of report.cases) if (shortStatus(one) === 'SKIPPED') read.get(titleOf(one))!.ms = 0
  expect(Object.fromEntries(read)).toEqual(Object.fromEntries(printed))
})

test('every case has the status under which Playwright lists it', () => {
  const withStatus = (status: string) => report.cases.filter((one) => shortStatus(one) === status).map(titleOf)
  expect(withStatus('FAILED').toSorted()).toEqual(listed(/(16) failed/u).toSorted())
  expect(withStatus('FLAKY')).toEqual(listed(/(1) flaky/u))
  // 6 skipped, 2 did not run; 14 passed
  expect(withStatus('SKIPPED')).toHaveLength(8)
  expect(withStatus('PASSED')).toHaveLength(14)
  expect(report).toMatchObject({
    format: 'REPORT_FORMAT_PLAYWRIGHT_JSON',
    framework: 'playwright',
    started_at: Date.parse('2026-11-21T07:41:19.980Z'),
    finished_at: Date.parse('2026-11-21T07:41:19.980Z') + 16_562,
    warnings: [],
  })
})

test('cases have the suites, names, projects and durations of the JUnit report of the same run', () => {
  const junit = parseJunit(fixtureText('playwright/junit.xml')).cases
  expect(junit).toHaveLength(39)
  // JUnit has files relative to testDir, joins titles by ` › `, and leaves out the time of skipped tests.
  const keyOf = (one: (typeof junit)[number]) =>
    [one.project, one.file_path.replace(/^e2e\//u, ''), ...one.suite_path, one.name].join(' › ')
  const durations = (cases: typeof junit) =>
    Object.fromEntries(cases.map((one) => [keyOf(one), shortStatus(one) === 'SKIPPED' ? 0 : one.duration_ms]))
  expect(durations(report.cases)).toEqual(durations(junit))
  const references = (cases: typeof junit) =>
    cases.filter((one) => one.references.some((text) => text.startsWith('REQ-'))).map(keyOf)
  expect(references(report.cases).toSorted()).toEqual(references(junit).toSorted())
})

test('tags come without @; annotations are references, but for the reasons why a test is not run as usual', () => {
  expect(caseNamed(report, 'sums prices', 'mobile')).toMatchObject({
    tags: ['money', 'REQ-12', 'slow'],
    references: ['REQ-3, REQ-4', 'https://example.com/issues/12'],
  })
  expect(caseNamed(report, 'skips itself', 'desktop').references).toEqual([])
  // Those of the last attempt.
  expect(caseNamed(report, 'passes on its third try', 'desktop').references).toEqual(['REQ-22'])
})

test('a failure tells of the last attempt that went wrong, without terminal colours', () => {
  expect(caseNamed(report, 'fails three times', 'mobile').message).toBe('TypeError: attempt 0')
  const last = caseNamed(report, 'fails three times', 'desktop')
  expect(last.message).toContain('expect(received).toEqual(expected) // deep equality')
  expect(last.trace).toContain('at /home/user/project/e2e/checkout/cart.spec.mjs:36:33')
  expect(caseNamed(report, 'passes on its third try', 'desktop').message).toContain('Received: 1')
  expect(caseNamed(report, 'takes too long', 'desktop').message).toBe('Test timeout of 500ms exceeded.')
  expect(caseNamed(report, 'passes against expectation', 'desktop').message).toBe('Expected to fail, but passed.')
  expect(caseNamed(report, 'is expected to fail', 'desktop')).toMatchObject({ message: '', trace: '' })
  expect(JSON.stringify(report)).not.toMatch(/\\u001b/u)
})

test('an unnamed group gives no suite', () => {
  expect(caseNamed(report, 'stands in an anonymous group', 'desktop').suite_path).toEqual(['cart'])
})

test('a test that was broken off has failed, one that was never begun is skipped', () => {
  const stopped = parsePlaywrightJson(fixture('playwright/stopped.json'))
  expect(stopped.cases.map((one) => [one.file_path, one.name, shortStatus(one), one.attempts, one.message])).toEqual([
    ['e2e-stopped/a.spec.mjs', 'fails at once', 'FAILED', 1, 'Error: stop here'],
    ['e2e-stopped/a.spec.mjs', 'is never begun', 'SKIPPED', 1, ''],
    ['e2e-stopped/b.spec.mjs', 'is interrupted', 'FAILED', 1, 'Test was interrupted.'],
    ['', '<run error>', 'ERROR', 1, 'Testing stopped early after 1 maximum allowed failures.'],
  ])
  // 1 failed, 1 interrupted, 1 did not run
  expect(fixtureText('playwright/stopped.txt')).toContain('1 interrupted')
  expect(stopped.warnings).toEqual([
    {
      code: 'RUN_ERRORS',
      message: 'the run had 1 errors outside of any case: check the output of the tool',
      line: 0,
    },
  ])
})

test('a run that ended before its first test is one case in error', () => {
  expect(parsePlaywrightJson(fixture('playwright/broken.json')).cases).toMatchObject([
    {
      file_path: '',
      name: '<run error>',
      status: 'RESULT_STATUS_ERROR',
      message: expect.stringMatching(/^Error: Cannot find module/u) as string,
    },
  ])
})

const spec = (file: string) => ({ title: 'opens', file, line: 3, tests: [{ status: 'expected', results: [] }] })

test.each([
  ['the configuration stands at the root', '/r/playwright.config.ts', '/r/e2e', '/r/test-results', 'e2e/a.spec.ts'],
  ['there is no testDir', '/r/playwright.config.ts', '/r', '/r/test-results', 'a.spec.ts'],
  [
    'the configuration stands in a folder below package.json',
    '/r/e2e/c.ts',
    '/r/e2e/t',
    '/r/test-results',
    'e2e/t/a.spec.ts',
  ],
  ['results go to another folder', '/r/e2e/c.ts', '/r/e2e/t', '/srv/results', 't/a.spec.ts'],
  ['the run was on Windows', 'C:\\r\\c.ts', 'C:/r/e2e', 'C:/r/test-results', 'e2e/a.spec.ts'],
  ['there is no configuration file', '', '/r/e2e', '', 'a.spec.ts'],
  ['another folder begins alike', '/r/e2/c.ts', '/r/e2e', '', 'a.spec.ts'],
])('files are relative to the project when %s', (_, configFile, rootDir, outputDir, path) => {
  const config = { configFile, rootDir, projects: [{ outputDir }] }
  const suites = [{ title: 'a.spec.ts', file: 'a.spec.ts', specs: [spec('a.spec.ts')] }]
  expect(parsePlaywrightJson({ config, suites }).cases[0]!.file_path).toBe(path)
})

test('a file outside the project stays absolute', () => {
  const config = { configFile: '/r/c.ts', rootDir: '/r/e2e' }
  const read = (file: string) =>
    parsePlaywrightJson({ config, suites: [{ title: file, file, specs: [spec(file)] }] }).cases[0]!
  expect(read('../unit/a.spec.ts').file_path).toBe('unit/a.spec.ts')
  expect(read('../../other/a.spec.ts').file_path).toBe('/other/a.spec.ts')
  expect(read('/srv/a.spec.ts').file_path).toBe('/srv/a.spec.ts')
})

/** Suites within suites, without recursion. */
function nested(depth: number): unknown {
  let suite: unknown = { title: 'innermost', specs: [spec('a.spec.ts')] }
  for (let level = 1; level < depth; level += 1) suite = { title: `at ${String(depth - level)}`, suites: [suite] }
  return { suites: [suite] }
}

test('suites may be nested a hundred deep and no deeper', () => {
  expect(parsePlaywrightJson(nested(100)).cases[0]!.suite_path).toHaveLength(99)
  expect(refusal(parsePlaywrightJson, nested(101))).toEqual({
    reason: 'REPORT_UNPARSABLE',
    message: 'this Playwright JSON report cannot be read: its suites are nested deeper than 100',
  })
  expect(refusal(parsePlaywrightJson, nested(100_000)).reason).toBe('REPORT_UNPARSABLE')
})

test('a defect in one suite, spec, test or result is a warning', () => {
  const { cases, warnings } = parsePlaywrightJson({
    config: 'none',
    errors: 'none',
    suites: [
      7,
      {
        title: 'a.spec.ts',
        file: 'a.spec.ts',
        specs: [
          null,
          { ...spec('a.spec.ts'), title: '' },
          {
            ...spec('a.spec.ts'),
            tests: [3, { status: 'exploded', projectName: 4, results: [null, { duration: 'long' }] }],
          },
        ],
      },
    ],
  })
  expect(cases.map((one) => [one.name, shortStatus(one), one.attempts, one.duration_ms])).toEqual([
    ['opens', 'SKIPPED', 1, 0],
  ])
  expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'FILE_UNREADABLE: 1 entries in the list of files or suites have no list of cases and were skipped',
    'CASE_UNREADABLE: 2 entries in the list of cases are not objects and were skipped',
    'CASE_WITHOUT_NAME: 1 cases have no name and were skipped',
    'MEMBER_IGNORED: 2 members have the wrong type and were ignored: duration, projectName',
    'STATUS_UNKNOWN: 1 cases have a status that the format does not define; they count as skipped',
  ])
})

test.each([...notObjects, { json: { suites: {} } }])('$json is refused: not a report of Playwright', ({ json }) => {
  expect(refusal(parsePlaywrightJson, json).message).toMatch(/^this Playwright JSON report cannot be read: /)
})

test('no two cases are the same one', () => {
  expect(new Set(report.cases.map(identity)).size).toBe(39)
})

test('a mutated report is read or refused, never a bug', () => {
  expect(readMutated(parsePlaywrightJson, fixture('playwright/report.json'), 200)).toBeGreaterThan(50)
})
