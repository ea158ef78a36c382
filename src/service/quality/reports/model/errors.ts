import { reportFormatNames } from '../../../../contract/test-ingest.ts'
import { ServiceError } from '../../../../errors.ts'
import type { ParsedReport } from './report.ts'

type Format = ParsedReport['format']

/** The display name of a format, such as `JUnit XML` for `REPORT_FORMAT_JUNIT_XML`. */
export function formatName(format: Format): string {
  if (format === 'REPORT_FORMAT_AUTO') return 'a test report'
  if (format === 'REPORT_FORMAT_NATIVE') return 'native cases'
  return formatNames.get(format) ?? ''
}

const formatNames = new Map(Object.entries(reportFormatNames).map(([name, words]) => [`REPORT_FORMAT_${name}`, words]))

/**
 * Creates `REPORT_UNPARSABLE` (contract §4.1): `this JUnit XML report cannot be read: <what> (line 12)`. `what` is a
 * clause in our own words that never quotes the report; line 0 means none.
 */
export function reportUnparsable(format: Format, what: string, line = 0): ServiceError {
  const subject = format === 'REPORT_FORMAT_AUTO' ? 'this report' : `this ${formatName(format)} report`
  const where = line > 0 ? ` (line ${String(line)})` : ''
  return new ServiceError('invalid_argument', `${subject} cannot be read: ${what}${where}`, {
    reason: 'REPORT_UNPARSABLE',
    metadata: { format, line: String(line) },
  })
}

/** Creates `REPORT_EMPTY`: the report is well formed but has no test cases. */
export function reportEmpty(format: Format): ServiceError {
  return new ServiceError('invalid_argument', `this ${formatName(format)} report has no test cases`, {
    reason: 'REPORT_EMPTY',
    metadata: { format, line: '0' },
  })
}

/** Creates `FORMAT_UNKNOWN`. `what` says, in our own words, what the content looks like and what to do. */
export function formatUnknown(what: string): ServiceError {
  return new ServiceError('invalid_argument', `the format of this report is unknown: ${what}`, {
    reason: 'FORMAT_UNKNOWN',
    metadata: { format: 'REPORT_FORMAT_AUTO', line: '0' },
  })
}
