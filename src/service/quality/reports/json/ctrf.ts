import * as z from 'zod'
import { isObject, type JsonObject } from '../../../../lib/objects.ts'
import { locateCtrfTest } from './ctrf-location.ts'
import { readFrame, startReading } from './reading.ts'
import { annotated, readMeta } from './meta.ts'
import { epochMs, messageText, tagList, title, traceText } from './values.ts'
import type { ParsedReport, ReportCase } from '../model/report.ts'
import { slashed } from '../../../../lib/files/slashed.ts'
import { wholeMilliseconds, wholeNumber } from '../model/text.ts'

const FORMAT = 'REPORT_FORMAT_CTRF'

const Frame = z.object({
  // Early reporters wrote neither this nor a version.
  reportFormat: z.literal('CTRF').optional(),
  results: z.object({ tool: z.unknown().optional(), summary: z.unknown().optional(), tests: z.array(z.unknown()) }),
})
const Tool = z.object({ name: z.string().nullish() })
const Summary = z.object({
  start: z.number().nullish(),
  stop: z.number().nullish(),
  failed: z.number().nullish(),
})

/** Free-form: every reporter adds its own members, so they are read one by one. */
const Members = z.custom<JsonObject>(isObject)

/** A test in the schema that ctrf-io publishes (0.x); reporters for Python write some members with underscores. */
const Test = z.object({
  name: z.string().nullish(),
  status: z.string().nullish(),
  rawStatus: z.string().nullish(),
  duration: z.number().nullish(),
  start: z.number().nullish(),
  suite: z.union([z.string(), z.array(z.string())]).nullish(),
  message: z.string().nullish(),
  trace: z.string().nullish(),
  line: z.number().nullish(),
  filePath: z.string().nullish(),
  file_path: z.string().nullish(),
  retries: z.number().nullish(),
  retryAttempts: z
    .array(z.object({ status: z.string().nullish(), message: z.string().nullish(), trace: z.string().nullish() }))
    .nullish(),
  flaky: z.boolean().nullish(),
  tags: z.array(z.string()).nullish(),
  labels: Members.nullish(),
  browser: z.string().nullish(),
  device: z.string().nullish(),
  testId: z.string().nullish(),
  id: z.string().nullish(),
  extra: Members.nullish(),
})
type Test = z.output<typeof Test>

const statuses = new Map<string, ReportCase['status']>([
  ['passed', 'RESULT_STATUS_PASSED'],
  ['failed', 'RESULT_STATUS_FAILED'],
  ['skipped', 'RESULT_STATUS_SKIPPED'],
  ['pending', 'RESULT_STATUS_SKIPPED'],
  ['other', 'RESULT_STATUS_SKIPPED'],
])

const BROKEN = /fail|error|time[d ]?out|interrupt|broken|crash|abort/iu

/**
 * Parses a report in the Common Test Report Format and evens out the differences between its reporters, so that a case
 * is the same one as in the tool's own report. Throws REPORT_UNPARSABLE when the top-level members do not match the
 * format.
 */
export function parseCtrf(json: unknown): ParsedReport {
  const { results } = readFrame(Frame, json, FORMAT)
  const reading = startReading(FORMAT)
  const framework = title(reading.members(Tool, results.tool)?.name).toLowerCase().slice(0, 60)
  const summary = reading.members(Summary, results.summary)
  for (const entry of results.tests) {
    const test = reading.members(Test, entry)
    if (test === undefined) reading.warn('CASE_UNREADABLE')
    else {
      if (!statuses.has(test.status ?? '')) reading.warn('STATUS_UNKNOWN')
      reading.add(toCase(test, framework))
    }
  }
  if ((summary?.failed ?? 0) > 0) reading.failRun('Its summary counts failed tests, and it lists none.')
  return {
    ...reading.end(),
    framework,
    started_at: clock(summary?.start),
    finished_at: clock(summary?.stop),
  }
}

function toCase(test: Test, framework: string): ReportCase {
  const { attempts, flaky } = countAttempts(test)
  const status = caseStatus(test)
  const isFlaky = flaky && status === 'RESULT_STATUS_PASSED'
  // A test that is expected to fail passes, but still has the text of its failure.
  const failure = isFlaky || status !== 'RESULT_STATUS_PASSED' ? failureTexts(test) : {}
  const { name, line, ...place } = locateCtrfTest({
    name: title(test.name),
    suite: test.suite ?? [],
    file_path: slashed(test.filePath ?? test.file_path ?? ''),
    line: wholeNumber(test.line, 0),
    project: [test.browser?.replace(/ v?\d[\d.]*$/, ''), test.device]
      .filter((part) => part != null && part !== '')
      .join(' '),
    framework,
  })
  const labels = readMeta(test.labels)
  const extra = readMeta(test.extra)
  return {
    ...place,
    name,
    line,
    status: isFlaky ? 'RESULT_STATUS_FLAKY' : status,
    attempts,
    duration_ms: wholeMilliseconds(test.duration ?? 0),
    message: messageText(failure.message),
    trace: traceText(failure.trace),
    tags: tagList(test.tags),
    labels: { ...extra.labels, ...labels.labels },
    external_id: title(test.testId ?? test.id),
    references: [...labels.references, ...extra.references, ...annotated(test.extra?.['annotations'])],
    started_at: clock(test.start),
  }
}

/** `other` may hide a failure that the format has no word for: then the status of the tool itself says so. */
function caseStatus({ status, rawStatus }: Test): ReportCase['status'] {
  const isBroken = status === 'other' && BROKEN.test(rawStatus ?? '')
  return isBroken ? 'RESULT_STATUS_FAILED' : (statuses.get(status ?? '') ?? 'RESULT_STATUS_SKIPPED')
}

/**
 * Trusts `flaky` when present. The reporter for Vitest up to 3 does not write it, and its `retries` are those allowed,
 * not those made: there, a test that passed was retried if it has the text of a failure.
 */
function countAttempts({ status, flaky, retries, retryAttempts, message, trace }: Test) {
  const earlier = retryAttempts ?? []
  const attempts = Math.max(wholeNumber(retries, 0), earlier.length) + 1
  if (flaky != null || status !== 'passed') return { attempts, flaky: flaky === true }
  const hasFailed = earlier.some((attempt) => attempt.status === 'failed') || traceText(message ?? trace) !== ''
  return attempts > 1 && hasFailed ? { attempts, flaky: true } : { attempts: earlier.length + 1, flaky: false }
}

/** Message and trace of the test itself, or of its last failed attempt. */
function failureTexts({ message, trace, retryAttempts }: Test) {
  if (traceText(message) !== '' || traceText(trace) !== '') return { message, trace }
  return (retryAttempts ?? []).findLast((attempt) => attempt.status === 'failed') ?? {}
}

/** Epoch milliseconds. Some reporters (Playwright, pytest) write seconds: in milliseconds they would be before 1973. */
function clock(time: number | null | undefined): number | null {
  return epochMs(time != null && time < 1e11 ? time * 1000 : time)
}
