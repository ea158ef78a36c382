import { detect, type Detected } from './detect.ts'
import { parseGoJson } from './go/index.ts'
import { jsonParsers } from './json/index.ts'
import { parseJunit } from './junit/index.ts'
import { reportUnparsable } from './model/errors.ts'
import type { ParsedReport, ReportInput } from './model/report.ts'
import { fileOfReport, placedInReport } from './model/report-file.ts'
import { withholdPasses } from './model/synthetic.ts'
import { mergeRepeats } from './repeats.ts'
import { parseTap } from './tap/index.ts'
import { parseTrx } from './trx/index.ts'

const lossy = {
  code: 'ENCODING_LOSSY',
  message: 'it was UTF-16 read as UTF-8, so characters outside ASCII are lost: save it as UTF-8',
  line: 0,
}

/**
 * Parses a test report in any supported format, detected by its content unless `format` names it (contract §4.1, §4.2).
 * No two of the returned cases share file, suites, name and project. Throws `ServiceError` invalid_argument:
 * `REPORT_UNPARSABLE` (metadata `format` and `line`), `FORMAT_UNKNOWN` or `REPORT_EMPTY`; their messages never quote
 * the report.
 */
export function parseReport(input: ReportInput): ParsedReport {
  const detected = detect(input)
  try {
    const report = finish(mergeRepeats(parse(detected, input.name)), fileOfReport(input.name))
    return detected.isWide ? { ...report, warnings: [lossy, ...report.warnings] } : report
  } catch (cause) {
    // The call stack overflowed; only a deeply nested report can cause that.
    if (cause instanceof RangeError) throw reportUnparsable(detected.format, 'it is nested too deeply')
    throw cause
  }
}

function parse({ format, text, json }: Detected, name: string): ParsedReport {
  if (format === 'REPORT_FORMAT_JUNIT_XML') return parseJunit(text)
  if (format === 'REPORT_FORMAT_TRX') return parseTrx(text)
  if (format === 'REPORT_FORMAT_TAP') return parseTap(text, name)
  if (format === 'REPORT_FORMAT_GO_JSON') return parseGoJson(text)
  return jsonParsers[format](json)
}

/**
 * Takes back passes in what failed (contract §4.3), places cases in their report where it says no more, and dates them
 * by it: the last attempt decides.
 */
function finish(report: ParsedReport, file: string): ParsedReport {
  const cases = withholdPasses(report.cases).map((one) => ({
    ...placedInReport(one, file),
    started_at: one.started_at ?? report.started_at,
  }))
  return { ...report, cases }
}
