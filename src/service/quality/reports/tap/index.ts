import { cutWithEllipsis } from '../../../../lib/text.ts'
import { reportEmpty, reportUnparsable } from '../model/errors.ts'
import { LOAD_ERROR, runError, skippedFile } from '../model/synthetic.ts'
import type { ParsedReport, ReportCase } from '../model/report.ts'
import { fileOfReport, TEST_FILE } from '../model/report-file.ts'
import { readTap, type Subtest, type TapStream, type TestPoint } from './read.ts'
import { slashed } from '../../../../lib/files/slashed.ts'
import { firstLine, LONGEST_MESSAGE, plainText, wholeMilliseconds } from '../model/text.ts'

/**
 * Parses TAP 13 or 14 (contract §4.2): subtests are suites, diagnostics give duration, location and reason. A file
 * counts as the file of a case only when every case names one, and not all of them failed: most producers name it only for
 * failures, and a case must not change its identity when it fails. Otherwise the report, by its `name`, is the file: names are unique in
 * one TAP file only. Throws `REPORT_UNPARSABLE` or `REPORT_EMPTY`.
 */
export function parseTap(text: string, name: string): ParsedReport {
  const stream = readTap(text)
  if (!stream.isTap) throw reportUnparsable('REPORT_FORMAT_TAP', 'it has no version, plan or test point')
  const framework = detectFramework(stream)
  const points = stream.points.filter(isCase)
  const everyPlaced =
    points.some(({ result }) => !isFailed(result)) && points.every((point) => findLocation(point) !== undefined)
  const source = { everyPlaced, headed: framework === 'tape', file: everyPlaced ? '' : fileOfReport(name) }
  const cases = [
    ...points.map((point) => toCase(point, source)),
    ...stream.points.filter(isBrokenSubtest).map((point) => brokenSubtest(point, source)),
    ...stream.breaks.map(({ groups, message }) => runError(placeIn(groups, source), { message })),
    ...(stream.skipped === undefined ? [] : [skippedFile(source.file, stream.skipped)]),
  ]
  if (cases.length === 0) throw reportEmpty('REPORT_FORMAT_TAP')
  const isFileOfReport = source.file !== ''
  return {
    format: 'REPORT_FORMAT_TAP',
    framework,
    cases: cases.map((one) => (isFileOfReport && one.file_path === source.file ? { ...one, isFileOfReport } : one)),
    started_at: null,
    finished_at: null,
    warnings: stream.warnings,
  }
}

/** What decides the file of a case. */
interface Source {
  everyPlaced: boolean
  headed: boolean
  /** The name of the report where it is the file of the cases; '' otherwise. */
  file: string
}

/** The point that closes a subtest summarizes it and is no case. */
function isCase({ diagnostics, closes }: TestPoint): boolean {
  return diagnostics.get('type') !== 'suite' && (closes === undefined || closes.points === 0)
}

/** A subtest that failed although none of its points did: in a hook, or in its own code. */
function isBrokenSubtest(point: TestPoint): boolean {
  return !isCase(point) && isFailed(point.result) && (point.closes?.failures ?? 0) === 0
}

function brokenSubtest(point: TestPoint, source: Source): ReportCase {
  const { result, groups, diagnostics, notes } = point
  const trace = plainText(diagnostics.get('stack') ?? notes.join('\n')).trim()
  const own = { name: result.name, points: 0, failures: 0 }
  return runError(placeIn([...groups, own], source), { message: failureMessage(point, trace), trace })
}

/** A subtest that is a file is the file of what is in it. */
function placeIn(groups: readonly Subtest[], { file }: Source): { file_path: string; suite_path: string[] } {
  const titles = groups.map(({ name }) => name).filter(Boolean)
  const inFile = TEST_FILE.test(titles[0] ?? '') ? titles.shift() : undefined
  return { file_path: slashed(inFile ?? file), suite_path: titles.map(title) }
}

function isFailed({ ok, todo, skip }: TestPoint['result']): boolean {
  return !ok && todo === false && skip === false
}

function toCase(point: TestPoint, source: Source): ReportCase {
  const { result, groups, diagnostics, notes } = point
  const place = findLocation(point)
  const inside = placeIn(groups, source)
  // node:test reports a failed process of a test file under the name of the file.
  const isLoadError = diagnostics.has('exitCode') && TEST_FILE.test(result.name)
  const failed = isFailed(result)
  const trace = failed ? plainText(diagnostics.get('stack') ?? notes.join('\n')).trim() : ''
  const isFileOfPlace = (source.everyPlaced && inside.file_path === '') || (isLoadError && place !== undefined)
  return {
    file_path: isFileOfPlace ? slashed(place?.file ?? '') : inside.file_path,
    suite_path: source.headed ? [title(point.heading.replace(/^(?:SKIP|TODO) /u, ''))] : inside.suite_path,
    name: isLoadError ? LOAD_ERROR : title(result.name) || `test ${String(point.number)}`,
    project: '',
    status: isLoadError ? 'RESULT_STATUS_ERROR' : caseStatus(result),
    attempts: 1,
    duration_ms: wholeMilliseconds(Number(diagnostics.get('duration_ms') ?? result.time ?? 0)),
    message: failureMessage(point, trace),
    trace,
    line: isFileOfPlace ? (place?.line ?? 0) : 0,
    tags: [],
    labels: isFileOfPlace || place === undefined ? {} : { location: `${slashed(place.file)}:${String(place.line)}` },
    external_id: '',
    references: [],
    started_at: null,
  }
}

function caseStatus({ ok, skip, todo }: TestPoint['result']): ReportCase['status'] {
  if (skip !== false || todo !== false) return 'RESULT_STATUS_SKIPPED'
  return ok ? 'RESULT_STATUS_PASSED' : 'RESULT_STATUS_FAILED'
}

function failureMessage({ result, diagnostics }: TestPoint, trace: string): string {
  const reason = [result.skip, result.todo].find((value) => typeof value === 'string')
  // Mocha writes a dash for a skip without a reason.
  if (reason !== undefined) return reason === '-' ? '' : plainText(reason, LONGEST_MESSAGE)
  if (!isFailed(result)) return ''
  const first = firstLine(trace)
  // A stack without its error starts with a frame.
  const said = diagnostics.get('error') ?? diagnostics.get('message') ?? (/:\d+:\d+\)?$/u.test(first) ? '' : first)
  return cutWithEllipsis(plainText(said, LONGEST_MESSAGE).trim(), LONGEST_MESSAGE)
}

/** The file and line of the test from its diagnostics: `location` of node:test, `at` of node-tap and tape. */
function findLocation({ diagnostics }: TestPoint): { file: string; line: number } | undefined {
  const file = diagnostics.get('at.fileName') ?? diagnostics.get('at.file')
  if (file !== undefined) {
    const line = Number(diagnostics.get('at.lineNumber') ?? diagnostics.get('at.line') ?? 0)
    return { file, line: Number.isInteger(line) ? line : 0 }
  }
  const said = diagnostics.get('location') ?? /\(([^()]+)\)$/u.exec(diagnostics.get('at') ?? '')?.[1]
  const match = /^(.+?):(\d{1,7})(?::\d{1,7})?$/u.exec(said?.replace(/^file:\/\//u, '') ?? '')
  return match === null ? undefined : { file: match[1] ?? '', line: Number(match[2]) }
}

function title(text: string): string {
  return plainText(text).trim()
}

function detectFramework({ points, summary }: TapStream): string {
  if (points.some(({ diagnostics }) => /^(?:test|suite)$/u.test(diagnostics.get('type') ?? ''))) return 'node:test'
  // tape has no subtests: a comment names the test of the assertions below it, and other comments summarize the run.
  const isSummed = summary.some((comment) => /^tests \d+$/u.test(comment))
  return isSummed && points.every(({ groups, heading }) => groups.length === 0 && heading !== '') ? 'tape' : ''
}
