import { ServiceError } from '../../../../errors.ts'
import type { ParsedReport } from './report.ts'

type Format = ParsedReport['format']

const names: Record<Format, string> = {
  REPORT_FORMAT_AUTO: 'a test report',
  REPORT_FORMAT_CTRF: 'CTRF',
  REPORT_FORMAT_JUNIT_XML: 'JUnit XML',
  REPORT_FORMAT_VITEST_JSON: 'Vitest JSON',
  REPORT_FORMAT_JEST_JSON: 'Jest JSON',
  REPORT_FORMAT_PLAYWRIGHT_JSON: 'Playwright JSON',
  REPORT_FORMAT_TAP: 'TAP',
  REPORT_FORMAT_NATIVE: 'native cases',
}

/** `JUnit XML` of `REPORT_FORMAT_JUNIT_XML`. */
export function formatName(format: Format): string {
  return names[format]
}

/**
 * `REPORT_UNPARSABLE` (contract §4.1): `this JUnit XML report cannot be read: <what> (line 12)`. `what` is a clause in our
 * own words and holds no text of the report; line 0 = none.
 */
export function reportUnparsable(format: Format, what: string, line = 0): ServiceError {
  const subject = format === 'REPORT_FORMAT_AUTO' ? 'this report' : `this ${formatName(format)} report`
  const where = line > 0 ? ` (line ${String(line)})` : ''
  return new ServiceError('invalid_argument', `${subject} cannot be read: ${what}${where}`, {
    reason: 'REPORT_UNPARSABLE',
    metadata: { format, line: String(line) },
  })
}

/** `REPORT_EMPTY`: it is well formed and has no test case. */
export function reportEmpty(format: Format): ServiceError {
  return new ServiceError('invalid_argument', `this ${formatName(format)} report has no test case`, {
    reason: 'REPORT_EMPTY',
    metadata: { format, line: '0' },
  })
}

/** `FORMAT_UNKNOWN`: it is none of the formats. `what` says, in our own words, what it looks like and what to do. */
export function formatUnknown(what: string): ServiceError {
  return new ServiceError('invalid_argument', `the format of this report is unknown: ${what}`, {
    reason: 'FORMAT_UNKNOWN',
    metadata: { format: 'REPORT_FORMAT_AUTO', line: '0' },
  })
}
