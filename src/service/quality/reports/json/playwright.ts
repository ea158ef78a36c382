import * as z from 'zod'
import { fileFinder } from '../../../../lib/files/playwright-files.ts'
import { isObject } from '../../../../lib/objects.ts'
import { reportUnparsable } from '../model/errors.ts'
import { DEEPEST_SUITE, readFrame, startReading, type Reading } from './reading.ts'
import { annotated } from './meta.ts'
import { textBeforeStack, messageText, tagList, title, traceText } from './values.ts'
import type { ParsedReport, ReportCase } from '../model/report.ts'
import { runError, withheld } from '../model/synthetic.ts'
import { reportTime, wholeMilliseconds, wholeNumber } from '../model/text.ts'

const FORMAT = 'REPORT_FORMAT_PLAYWRIGHT_JSON'

const Frame = z.object({
  suites: z.array(z.unknown()),
  config: z.unknown().optional(),
  errors: z.unknown().optional(),
  stats: z.unknown().optional(),
})
const Stats = z.object({
  startTime: z.string().nullish(),
  duration: z.number().nullish(),
  unexpected: z.number().nullish(),
})
/** An error outside of every test: in a file that does not load, a global hook, or the time limit of the run. */
const RunError = z.object({
  message: z.string().nullish(),
  stack: z.string().nullish(),
  location: z.object({ file: z.string() }).nullish(),
})

const Suite = z.object({
  title: z.string().nullish(),
  file: z.string().nullish(),
  specs: z.array(z.unknown()).nullish(),
  suites: z.array(z.unknown()).nullish(),
})
type Suite = z.output<typeof Suite>

const Spec = z.object({
  title: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  tests: z.array(z.unknown()).nullish(),
  id: z.string().nullish(),
  file: z.string().nullish(),
  line: z.number().nullish(),
})
type Spec = z.output<typeof Spec>

const Result = z.object({
  status: z.string().nullish(),
  duration: z.number().nullish(),
  startTime: z.string().nullish(),
  error: z.object({ message: z.string().nullish() }).nullish(),
  errors: z.array(z.object({ message: z.string().nullish() })).nullish(),
})
type Result = z.output<typeof Result>

const Test = z.object({
  status: z.string().nullish(),
  expectedStatus: z.string().nullish(),
  projectName: z.string().nullish(),
  annotations: z.unknown().optional(),
  results: z.array(z.unknown()).nullish(),
})
type Test = z.output<typeof Test>

const statuses = new Map<string, ReportCase['status']>([
  ['expected', 'RESULT_STATUS_PASSED'],
  ['unexpected', 'RESULT_STATUS_FAILED'],
  ['flaky', 'RESULT_STATUS_FLAKY'],
  ['skipped', 'RESULT_STATUS_SKIPPED'],
])
const brokenOff = new Set(['timedOut', 'interrupted'])

/**
 * Parses a report of Playwright's `json` reporter: one case per spec and project. Paths are relative to the folder of
 * the configuration. A duration is the sum of all attempts, as in Playwright's JUnit report. Throws REPORT_UNPARSABLE
 * when the top-level members do not match the format, or suites are nested deeper than DEEPEST_SUITE.
 */
export function parsePlaywrightJson(json: unknown): ParsedReport {
  const frame = readFrame(Frame, json, FORMAT)
  const reading = startReading(FORMAT)
  const findFile = fileFinder(frame.config)
  // `--fail-on-flaky-tests`: a flaky test fails the run.
  const isStrict = isObject(frame.config) && frame.config['failOnFlakyTests'] === true
  for (const { suite, titles } of walkSuites(frame.suites, reading)) {
    for (const entry of suite.specs ?? []) {
      const spec = reading.members(Spec, entry)
      if (spec === undefined) reading.warn('CASE_UNREADABLE')
      else addCases(reading, spec, { suite_path: titles, file_path: findFile(spec.file ?? suite.file ?? ''), isStrict })
    }
  }
  const errors = Array.isArray(frame.errors) ? frame.errors : []
  if (errors.length > 0) reading.warn('RUN_ERRORS', errors.length)
  for (const error of errors) reading.add(toRunError(reading.members(RunError, error), findFile))
  const stats = reading.members(Stats, frame.stats)
  if ((stats?.unexpected ?? 0) > 0) reading.failRun('It counts unexpected results, and lists none.')
  const startedAt = reportTime(stats?.startTime ?? '')
  const read = reading.end()
  return {
    ...read,
    // An error belongs to the run, also when it was thrown in a certain file: that may be a hook of all tests.
    cases: errors.length === 0 ? read.cases : read.cases.map(withheld),
    framework: 'playwright',
    started_at: startedAt,
    finished_at: startedAt === null ? null : startedAt + wholeMilliseconds(stats?.duration ?? 0),
  }
}

/** Its place is the file where it was thrown, if that is one. */
function toRunError(error: z.output<typeof RunError> | undefined, findFile: (file: string) => string): ReportCase {
  const trace = traceText(error?.stack ?? error?.message)
  const message = messageText(error?.message) || 'The run failed outside of its tests.'
  const file = error?.location?.file ?? ''
  return runError({ file_path: file.startsWith('<') ? '' : findFile(file) }, { message, trace })
}

interface Visit {
  entry: unknown
  parents: readonly string[]
  depth: number
}

/** Yields every suite with the titles around its specs, in report order; the suite of a file adds no title. */
function* walkSuites(roots: readonly unknown[], reading: Reading): Generator<{ suite: Suite; titles: string[] }> {
  const open: Visit[] = roots.toReversed().map((entry) => ({ entry, parents: [], depth: 1 }))
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { entry, parents, depth } = visit
    if (depth > DEEPEST_SUITE)
      throw reportUnparsable(FORMAT, `its suites are nested deeper than ${String(DEEPEST_SUITE)}`)
    const suite = reading.members(Suite, entry)
    if (suite === undefined) {
      reading.warn('FILE_UNREADABLE')
      continue
    }
    const isOfFile = depth === 1 && (suite.file == null || suite.file === '' || suite.title === suite.file)
    const titles = isOfFile ? [] : [...parents, title(suite.title)].filter((one) => one !== '')
    yield { suite, titles }
    for (const child of (suite.suites ?? []).toReversed())
      open.push({ entry: child, parents: titles, depth: depth + 1 })
  }
}

function addCases(
  reading: Reading,
  spec: Spec,
  { isStrict, ...place }: Pick<ReportCase, 'suite_path' | 'file_path'> & { isStrict: boolean },
): void {
  for (const entry of spec.tests ?? []) {
    const test = reading.members(Test, entry)
    if (test === undefined) {
      reading.warn('CASE_UNREADABLE')
      continue
    }
    const results = (test.results ?? []).flatMap((result) => reading.members(Result, result) ?? [])
    if (!statuses.has(test.status ?? '')) reading.warn('STATUS_UNKNOWN')
    const status = caseStatus(test, results, isStrict)
    reading.add({
      ...place,
      name: title(spec.title),
      project: title(test.projectName),
      status,
      attempts: Math.max(1, results.length),
      duration_ms: wholeMilliseconds(results.reduce((sum, { duration }) => sum + (duration ?? 0), 0)),
      ...lastFailure(test, results, status),
      line: wholeNumber(spec.line, 0),
      tags: tagList(spec.tags),
      labels: {},
      external_id: title(spec.id),
      references: annotated(test.annotations),
      started_at: reportTime(results[0]?.startTime ?? ''),
    })
  }
}

/** Playwright counts an interrupted test as skipped but lists it with the failures: it started and did not pass. */
function caseStatus(test: Test, results: readonly Result[], isStrict: boolean): ReportCase['status'] {
  if (test.status === 'flaky' && isStrict) return 'RESULT_STATUS_FAILED'
  const status = statuses.get(test.status ?? '') ?? 'RESULT_STATUS_SKIPPED'
  const isBrokenOff = results.some((result) => brokenOff.has(result.status ?? ''))
  return status === 'RESULT_STATUS_SKIPPED' && isBrokenOff ? 'RESULT_STATUS_FAILED' : status
}

/** Message and trace of the last failed attempt. A test that was expected to fail has errors too, but passed. */
function lastFailure(test: Test, results: readonly Result[], status: ReportCase['status']) {
  if (status !== 'RESULT_STATUS_FAILED' && status !== 'RESULT_STATUS_FLAKY') return { message: '', trace: '' }
  const last = results.findLast((result) => result.status !== 'passed' && result.status !== 'skipped')
  if (last === undefined) {
    const isAgainst = test.expectedStatus === 'failed' && results.some((result) => result.status === 'passed')
    return { message: isAgainst ? 'Expected to fail, but passed.' : '', trace: '' }
  }
  const trace = traceText([...new Set(last.errors?.map(({ message }) => traceText(message)))].join('\n\n'))
  const message = messageText(last.error?.message) || messageText(textBeforeStack(trace))
  if (message === '' && last.status === 'interrupted') return { message: 'Test was interrupted.', trace }
  return { message, trace }
}
