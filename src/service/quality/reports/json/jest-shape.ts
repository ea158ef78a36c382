import * as z from 'zod'
import { readFrame, startReading, type Reading } from './reading.ts'
import { epochMs, textBeforeStack, messageText, tagList, title, titles, traceText } from './values.ts'
import { readMeta } from './meta.ts'
import { LOAD_ERROR, runError } from '../model/synthetic.ts'
import { isObject } from '../../../../lib/objects.ts'
import type { ParsedReport, ReportCase } from '../model/report.ts'
import { slashed } from '../../../../lib/files/slashed.ts'
import { wholeMilliseconds, wholeNumber } from '../model/text.ts'

type Format = ParsedReport['format']

const Frame = z.object({ testResults: z.array(z.unknown()), startTime: z.unknown().optional() })
/** What says that the run failed. Vitest's `success` leaves out errors outside of files. */
const Run = z.object({
  success: z.boolean().nullish(),
  wasInterrupted: z.boolean().nullish(),
  numFailedTests: z.number().nullish(),
  numFailedTestSuites: z.number().nullish(),
  numRuntimeErrorTestSuites: z.number().nullish(),
})

/** A file as `--json` writes it; Jest's internal results name some members differently. */
const File = z.object({
  name: z.string().nullish(),
  testFilePath: z.string().nullish(),
  status: z.string().nullish(),
  message: z.string().nullish(),
  failureMessage: z.string().nullish(),
  testExecError: z.object({ message: z.string().nullish(), stack: z.string().nullish() }).nullish(),
  startTime: z.number().nullish(),
  endTime: z.number().nullish(),
  assertionResults: z.array(z.unknown()).nullish(),
  testResults: z.array(z.unknown()).nullish(),
})

const Assertion = z.object({
  ancestorTitles: z.array(z.string()).nullish(),
  title: z.string().nullish(),
  status: z.string().nullish(),
  duration: z.number().nullish(),
  failureMessages: z.array(z.string()).nullish(),
  location: z.object({ line: z.number() }).nullish(),
  meta: z.unknown().optional(),
  tags: z.array(z.string()).nullish(),
  invocations: z.number().nullish(),
  retryReasons: z.array(z.string()).nullish(),
  startAt: z.number().nullish(),
})
export type Assertion = z.output<typeof Assertion>

export interface Attempts {
  attempts: number
  /** Whether it failed first and passed in the end. */
  flaky: boolean
  /** Texts of the failures behind the status, oldest first. */
  failures: readonly string[]
}

export interface FileReport {
  format: Format
  framework: string
  /** How often a case ran and what went wrong: here the two tools differ. */
  countAttempts: (assertion: Assertion) => Attempts
}

const statuses = new Map<string, ReportCase['status']>([
  ['passed', 'RESULT_STATUS_PASSED'],
  ['failed', 'RESULT_STATUS_FAILED'],
  ['skipped', 'RESULT_STATUS_SKIPPED'],
  ['pending', 'RESULT_STATUS_SKIPPED'],
  ['todo', 'RESULT_STATUS_SKIPPED'],
  ['disabled', 'RESULT_STATUS_SKIPPED'],
  ['focused', 'RESULT_STATUS_SKIPPED'],
])

/**
 * Parses the shape that Jest and Vitest share: files, each with a list of assertions. Throws REPORT_UNPARSABLE when the
 * top-level members do not match it; a defect in one file or case is a warning.
 */
export function parseFiles(json: unknown, { format, framework, countAttempts }: FileReport): ParsedReport {
  const frame = readFrame(Frame, json, format)
  const reading = startReading(format)
  let finishedAt: number | null = null
  for (const entry of frame.testResults) {
    const file = reading.members(File, entry)
    const assertions = file?.assertionResults ?? file?.testResults
    if (file === undefined || assertions == null) {
      reading.warn('FILE_UNREADABLE')
      continue
    }
    finishedAt = Math.max(finishedAt ?? 0, epochMs(file.endTime) ?? 0) || null
    const place = { file_path: slashed(file.name ?? file.testFilePath ?? ''), started_at: epochMs(file.startTime) }
    readAssertions(reading, assertions, { place, countAttempts })
    readFileError(reading, file, { place, assertions })
  }
  const run = reading.members(Run, json)
  if (run !== undefined && hasFailed(run)) reading.failRun('The run failed, and none of its test cases did.')
  const { success, data } = z.number().safeParse(frame.startTime)
  return {
    ...reading.end(),
    framework,
    started_at: success ? epochMs(data) : null,
    finished_at: finishedAt,
  }
}

type FilePlace = Pick<ReportCase, 'file_path' | 'started_at'>

function hasFailed({ success, wasInterrupted, ...counts }: z.output<typeof Run>): boolean {
  return success === false || wasInterrupted === true || Object.values(counts).some((count) => (count ?? 0) > 0)
}

function readAssertions(
  reading: Reading,
  entries: readonly unknown[],
  { place, countAttempts }: { place: FilePlace } & Pick<FileReport, 'countAttempts'>,
): void {
  for (const entry of entries) {
    const assertion = reading.members(Assertion, entry)
    if (assertion === undefined) reading.warn('CASE_UNREADABLE')
    else reading.add(toCase(reading, assertion, place, countAttempts(assertion)))
  }
}

/** A file that failed without a case that failed: it was not loaded, or a hook failed around or after its cases. */
function readFileError(
  reading: Reading,
  file: z.output<typeof File>,
  { place, assertions }: { place: FilePlace; assertions: readonly unknown[] },
): void {
  const failed = assertions.some((entry) => isObject(entry) && entry['status'] === 'failed')
  const error = file.testExecError ?? undefined
  if (error === undefined && (file.status !== 'failed' || failed)) return
  if (assertions.length === 0) return reading.add(loadError(file, place))
  const { message, trace } = loadError(file, place)
  const said = message === '' ? 'The file failed, and none of its test cases did: check its hooks.' : message
  reading.add({ ...runError(place, { message: said, trace }), started_at: place.started_at })
}

function toCase(reading: Reading, assertion: Assertion, place: FilePlace, counted: Attempts): ReportCase {
  const status = statuses.get(assertion.status ?? '')
  if (status === undefined) reading.warn('STATUS_UNKNOWN')
  const isFlaky = status === 'RESULT_STATUS_PASSED' && counted.flaky
  const hasFailures = isFlaky || status === 'RESULT_STATUS_FAILED'
  const texts = hasFailures ? [...new Set(counted.failures.map(traceText))] : []
  const { labels, references } = readMeta(assertion.meta)
  return {
    file_path: place.file_path,
    suite_path: titles(assertion.ancestorTitles),
    name: title(assertion.title),
    project: '',
    status: isFlaky ? 'RESULT_STATUS_FLAKY' : (status ?? 'RESULT_STATUS_SKIPPED'),
    attempts: wholeNumber(counted.attempts, 1),
    duration_ms: wholeMilliseconds(assertion.duration ?? 0),
    message: messageText([...new Set(texts.map(textBeforeStack))].join('\n\n')),
    trace: traceText(texts.join('\n\n')),
    line: wholeNumber(assertion.location?.line, 0),
    tags: tagList(assertion.tags),
    labels,
    external_id: '',
    references,
    started_at: epochMs(assertion.startAt) ?? place.started_at,
  }
}

function loadError(file: z.output<typeof File>, place: FilePlace): ReportCase {
  const error = file.testExecError
  const text = traceText(file.message || file.failureMessage || error?.stack || error?.message)
  // Jest puts its own heading above the reason.
  const trace = text.replace(/^\s*● Test suite failed to run\s+/, '')
  return {
    ...place,
    suite_path: [],
    name: LOAD_ERROR,
    project: '',
    status: 'RESULT_STATUS_ERROR',
    attempts: 1,
    duration_ms: wholeMilliseconds((file.endTime ?? 0) - (file.startTime ?? 0)),
    message: messageText(textBeforeStack(trace)),
    trace,
    line: 0,
    tags: [],
    labels: {},
    external_id: '',
    references: [],
  }
}
