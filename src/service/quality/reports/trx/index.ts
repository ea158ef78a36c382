import { cutWithEllipsis } from '../../../../lib/text.ts'
import { reportEmpty } from '../model/errors.ts'
import type { ParsedReport, ReportCase } from '../model/report.ts'
import { isRed, runError, UNNAMED } from '../model/synthetic.ts'
import { slashed } from '../../../../lib/files/slashed.ts'
import { LONGEST_MESSAGE, plainText, reportTime, wholeMilliseconds } from '../model/text.ts'
import { readTrx, type TrxDocument, type TrxResult, type TrxTest } from './read.ts'

const FORMAT = 'REPORT_FORMAT_TRX'

const statuses = new Map<string, ReportCase['status']>([
  ['Passed', 'RESULT_STATUS_PASSED'],
  ['PassedButRunAborted', 'RESULT_STATUS_PASSED'],
  ['Warning', 'RESULT_STATUS_PASSED'],
  ['Failed', 'RESULT_STATUS_FAILED'],
  ['NotExecuted', 'RESULT_STATUS_SKIPPED'],
  ['Inconclusive', 'RESULT_STATUS_SKIPPED'],
  ['Pending', 'RESULT_STATUS_SKIPPED'],
  ['InProgress', 'RESULT_STATUS_ERROR'],
])

/**
 * Parses the TRX report of `dotnet test` or Visual Studio (contract §4.2): the class is the suite, the rows of a
 * data-driven test are its cases. Throws `REPORT_UNPARSABLE` or `REPORT_EMPTY`.
 */
export function parseTrx(xml: string): ParsedReport {
  const document = readTrx(xml)
  const cases = document.results.flatMap((result) =>
    toCases(result, document.tests.get(result.attributes['testId'] ?? '')),
  )
  cases.push(...runErrors(document, cases))
  if (cases.length === 0) throw reportEmpty(FORMAT)
  return {
    format: FORMAT,
    framework: 'dotnet',
    cases,
    started_at: reportTime(document.times['start']),
    finished_at: reportTime(document.times['finish']),
    warnings: [],
  }
}

/** The case of a result, or those of its rows and the error of a test that failed although no row did. */
function toCases(result: TrxResult, test: TrxTest | undefined): ReportCase[] {
  if (result.inner.length === 0) return [toCase(result, test)]
  const rows = result.inner.flatMap((row) => toCases(row, test))
  const whole = toCase(result, test)
  if (!isRed(whole) || rows.some(isRed)) return rows
  return [
    ...rows,
    runError(whole, { message: whole.message || 'The test failed, and none of its rows did.', trace: whole.trace }),
  ]
}

function toCase({ attributes, message, stack, output }: TrxResult, test: TrxTest | undefined): ReportCase {
  // The schema leaves out the outcome Error.
  const status = statuses.get(attributes['outcome'] ?? '') ?? 'RESULT_STATUS_ERROR'
  const trace = isRed({ status }) ? plainText([stack, output].filter(Boolean).join('\n\n')) : ''
  const className = test?.className ?? ''
  const name = plainText(attributes['testName'] ?? test?.name ?? '').trim()
  return {
    file_path: '',
    suite_path: className === '' ? [] : [className],
    // xUnit.net writes the fully qualified name, MSTest and NUnit the method.
    name: (name.startsWith(`${className}.`) ? name.slice(className.length + 1) : name) || UNNAMED,
    project: targetFramework(test?.storage ?? ''),
    status,
    attempts: 1,
    duration_ms: duration(attributes['duration']),
    message: status === 'RESULT_STATUS_PASSED' ? '' : cutWithEllipsis(message, LONGEST_MESSAGE),
    trace,
    line: 0,
    tags: test?.categories ?? [],
    labels: {},
    external_id: '',
    references: [],
    started_at: reportTime(attributes['startTime']),
  }
}

/** The folder of the build: tests that are built for several frameworks run once in each. */
function targetFramework(storage: string): string {
  const folder = slashed(storage)
    .split('/')
    .findLast((part) => /^net(?:coreapp|standard)?\d[\w.-]*$/iu.test(part))
  return folder?.toLowerCase() ?? ''
}

/** Milliseconds of `hh:mm:ss.fffffff`, with days before it when there are any. */
function duration(text = ''): number {
  const match = /^(?:(\d+)\.)?(\d+):(\d\d):(\d\d(?:\.\d+)?)$/u.exec(text)
  if (match === null) return 0
  const [, days = '0', hours = '', minutes = '', seconds = ''] = match
  const whole = (Number(days) * 24 + Number(hours)) * 60 + Number(minutes)
  return wholeMilliseconds((whole * 60 + Number(seconds)) * 1000)
}

/** What the run says of itself beyond its tests: the test host crashed, or the run was aborted. */
function runErrors({ summary }: TrxDocument, cases: readonly ReportCase[]): ReportCase[] {
  // xUnit.net reports each failed test as an error of the run, too.
  const errors = summary.errors.filter((text) => !/\[FAIL\]\s*$/u.test(text))
  const [first] = errors
  if (first !== undefined) {
    const message = cutWithEllipsis(first.split('\n')[0] ?? '', LONGEST_MESSAGE)
    return [runError({}, { message: message || ABORTED, trace: errors.join('\n\n') })]
  }
  const isAborted = /^(?:Aborted|Timeout|Error|Disconnected)$/u.test(summary.outcome)
  const counts = ['failed', 'error', 'timeout', 'aborted'].some((name) => Number(summary.counts[name] ?? 0) > 0)
  const isUnexplained = (summary.outcome === 'Failed' || counts) && !cases.some(isRed)
  return isAborted || isUnexplained ? [runError({}, { message: ABORTED })] : []
}

const ABORTED = 'The run failed or was aborted outside of its tests.'
