import { cutWithEllipsis } from '../../../../lib/text.ts'
import { counted } from '../../../../lib/counted.ts'
import { reportEmpty, reportUnparsable } from '../model/errors.ts'
import { MOST_CASES, type ParsedReport, type ReportCase } from '../model/report.ts'
import { isRed, runError } from '../model/synthetic.ts'
import { LONGEST_MESSAGE, LONGEST_TRACE, plainText, reportTime, wholeMilliseconds } from '../model/text.ts'
import { jsonLines, readEvent, type GoEvent } from './events.ts'

const FORMAT = 'REPORT_FORMAT_GO_JSON'

/** A test in one run of its package. */
interface GoTest {
  /** Each result that it got: several with `-count`. */
  results: ReportCase['status'][]
  output: string
  seconds: number
  started_at: number | null
}

/** A package from its start to its result; a rerun of failed tests is another one. */
interface PackageRun {
  name: string
  tests: Map<string, GoTest>
  output: string
}

interface Reading {
  cases: ReportCase[]
  running: Map<string, PackageRun>
  /** Output of failed and other builds, by import path. */
  builds: Map<string, string>
  failedBuilds: Set<string>
  started: number
  finished: number
  skippedLines: number
}

const results = new Map<string, ReportCase['status']>([
  ['pass', 'RESULT_STATUS_PASSED'],
  // A benchmark that wrote to its log and did not fail.
  ['bench', 'RESULT_STATUS_PASSED'],
  ['skip', 'RESULT_STATUS_SKIPPED'],
  ['fail', 'RESULT_STATUS_FAILED'],
])

/**
 * Parses the lines of `go test -json` (contract §4.2): the package is the suite, a test with subtests is no case. A
 * package that failed without a test that failed, that was not built, or that has no result is an error. Throws
 * `REPORT_UNPARSABLE` or `REPORT_EMPTY`.
 */
export function parseGoJson(text: string): ParsedReport {
  const reading: Reading = {
    cases: [],
    running: new Map(),
    builds: new Map(),
    failedBuilds: new Set(),
    started: Infinity,
    finished: -Infinity,
    skippedLines: 0,
  }
  for (const { value, number } of jsonLines(text)) {
    const event = readEvent(value)
    if (event === undefined) reading.skippedLines += 1
    else read(reading, event)
    if (reading.cases.length > MOST_CASES)
      throw reportUnparsable(FORMAT, 'it has more than 200,000 cases; split it into several reports', number)
  }
  for (const run of reading.running.values()) endPackage(reading, run, undefined)
  for (const path of reading.failedBuilds)
    addError(reading, packageName(path), 'It was not built.', builtOutput(reading, path))
  if (endsInLine(text)) reading.cases.push(runError({}, { message: 'The report is cut off in the middle of a line.' }))
  if (reading.cases.length === 0) throw reportEmpty(FORMAT)
  const { cases, started, finished, skippedLines } = reading
  const message = `${counted(skippedLines, 'line')} that are not events of go test were skipped`
  return {
    format: FORMAT,
    framework: 'go',
    cases,
    started_at: Number.isFinite(started) ? started : null,
    finished_at: Number.isFinite(finished) ? finished : null,
    warnings: skippedLines === 0 ? [] : [{ code: 'LINES_SKIPPED', message, line: 0 }],
  }
}

function read(reading: Reading, event: GoEvent): void {
  const { Action: action, Package: name, Test: test = '', ImportPath: path } = event
  const at = reportTime(event.Time)
  if (at !== null) {
    reading.started = Math.min(reading.started, at)
    reading.finished = Math.max(reading.finished, at)
  }
  if (path !== undefined && action === 'build-output')
    return void reading.builds.set(path, joined(reading.builds.get(path) ?? '', event.Output))
  if (path !== undefined && action === 'build-fail') return void reading.failedBuilds.add(path)
  if (name === undefined) return
  const run = reading.running.get(name) ?? { name, tests: new Map<string, GoTest>(), output: '' }
  reading.running.set(name, run)
  if (test !== '') return readTest(run, test, event)
  if (action === 'output') run.output = joined(run.output, event.Output)
  if (!results.has(action) || action === 'bench') return
  reading.running.delete(name)
  endPackage(reading, run, event)
}

function readTest({ tests }: PackageRun, name: string, event: GoEvent): void {
  const known = tests.get(name)
  const test: GoTest = known ?? { results: [], output: '', seconds: 0, started_at: reportTime(event.Time) }
  if (known === undefined) tests.set(name, test)
  if (event.Action === 'output') test.output = joined(test.output, event.Output)
  const result = results.get(event.Action)
  if (result === undefined) return
  test.results.push(result)
  test.seconds += event.Elapsed ?? 0
}

function endsInLine(text: string): boolean {
  const last = text.slice(text.trimEnd().lastIndexOf('\n') + 1).trim()
  return last.startsWith('{') && !last.endsWith('}')
}

/** Adds the cases of a package; `end` is the event of its result, undefined when the report ends before it. */
function endPackage(reading: Reading, { name, tests, output }: PackageRun, end: GoEvent | undefined): void {
  const parents = new Set([...tests.keys()].flatMap(namesAround))
  const hasPassed = end?.Action === 'pass' || end?.Action === 'skip'
  const all = [...tests].map(([test, facts]) => toCase(name, test, facts, hasPassed))
  const cases = all.filter((one) => !parents.has(one.name))
  // `push(...cases)` would pass each of them as an argument.
  for (const one of cases) reading.cases.push(one)
  const failed = all.filter(isRed)
  const explained = new Set(failed.flatMap((one) => namesAround(one.name)))
  const alone = failed.filter((one) => parents.has(one.name) && !explained.has(one.name))
  for (const { message, trace } of alone)
    addError(reading, name, message === '' ? 'A test failed, and none of its subtests did.' : message, trace)
  if (hasPassed || failed.length > 0) return
  const build = end?.FailedBuild
  if (build !== undefined) reading.failedBuilds.delete(build)
  const said = build === undefined ? output : builtOutput(reading, build)
  const why = build !== undefined || /\[(?:build|setup) failed\]/u.test(output) ? 'It was not built.' : undefined
  addError(reading, name, why ?? (end === undefined ? 'It has no result: the run ended early.' : ''), said || output)
}

/** `TestA/b/c` is in `TestA` and in `TestA/b`. */
function namesAround(name: string): string[] {
  const parts = name.split('/')
  return parts.slice(1, 50).map((_, index) => parts.slice(0, index + 1).join('/'))
}

function addError({ cases }: Reading, name: string, message: string, output: string): void {
  const trace = plainText(output).trim()
  const said = message || firstWords(trace) || 'The package failed, and none of its tests did.'
  cases.push(runError({ suite_path: [name] }, { message: said, trace }))
}

function builtOutput({ builds }: Reading, path: string): string {
  return builds.get(path) ?? ''
}

/** An import path names a variant after the package: `shop/cart [shop/cart.test]`. */
function packageName(path: string): string {
  return path.replace(/ \[.*$/u, '')
}

function toCase(suite: string, name: string, test: GoTest, hasPassed: boolean): ReportCase {
  const status = mergedStatus(test, hasPassed)
  const trace = isRed({ status }) || status === 'RESULT_STATUS_SKIPPED' ? plainText(test.output).trim() : ''
  return {
    file_path: '',
    suite_path: [suite],
    name,
    project: '',
    status,
    attempts: Math.max(1, test.results.length),
    duration_ms: wholeMilliseconds(test.seconds * 1000),
    message: firstWords(trace) || (test.results.length === 0 ? 'It has no result: its package ended before it.' : ''),
    trace: isRed({ status }) ? trace : '',
    line: 0,
    tags: [],
    labels: {},
    external_id: '',
    references: [],
    started_at: test.started_at,
  }
}

/** With `-count` one failure fails the package. */
function mergedStatus({ results: all }: GoTest, hasPassed: boolean): ReportCase['status'] {
  if (all.includes('RESULT_STATUS_FAILED')) return 'RESULT_STATUS_FAILED'
  if (all.length === 0) return hasPassed ? 'RESULT_STATUS_BLOCKED' : 'RESULT_STATUS_ERROR'
  return all.includes('RESULT_STATUS_PASSED') ? 'RESULT_STATUS_PASSED' : 'RESULT_STATUS_SKIPPED'
}

/** The first line that is not a mark of the runner. */
function firstWords(output: string): string {
  const said = output
    .split('\n')
    .find((line) => line.trim() !== '' && !/^\s*(?:===|---|FAIL\b|ok\b|PASS\b|#) ?/u.test(line))
  return cutWithEllipsis((said ?? '').trim(), LONGEST_MESSAGE)
}

function joined(before: string, output = ''): string {
  return before.length > LONGEST_TRACE ? before : before + output.slice(0, LONGEST_TRACE)
}
