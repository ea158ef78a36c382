import { detect, type Detected } from './detect.ts'
import { jsonParsers } from './json/index.ts'
import { parseJunit } from './junit/index.ts'
import { reportUnparsable } from './model/errors.ts'
import type { ParsedReport, ReportInput } from './model/report.ts'
import { mergeRepeats } from './repeats.ts'
import { parseTap } from './tap/index.ts'

const lossy = {
  code: 'ENCODING_LOSSY',
  message: 'it was UTF-16 read as UTF-8, so that characters beyond ASCII are lost: save it as UTF-8',
  line: 0,
}

/**
 * Reads a test report of any format that is known, told by its content unless `format` names it (contract §4.1, §4.2). No
 * two of its cases share file, suites, name and project. Throws `ServiceError` invalid_argument: `REPORT_UNPARSABLE`
 * (metadata `format` and `line`), `FORMAT_UNKNOWN` or `REPORT_EMPTY`; their messages hold no text of the report.
 */
export function parseReport(input: ReportInput): ParsedReport {
  const detected = detect(input)
  try {
    const report = mergeRepeats(parse(detected))
    return detected.isWide ? { ...report, warnings: [lossy, ...report.warnings] } : report
  } catch (cause) {
    // The stack has no more room: nothing but the report's own nesting takes that much.
    if (cause instanceof RangeError) throw reportUnparsable(detected.format, 'it is nested too deeply')
    throw cause
  }
}

function parse({ format, text, json }: Detected): ParsedReport {
  if (format === 'REPORT_FORMAT_JUNIT_XML') return parseJunit(text)
  if (format === 'REPORT_FORMAT_TAP') return parseTap(text)
  return jsonParsers[format](json)
}
