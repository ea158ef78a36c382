import { LOAD_ERROR } from './model/load-error.ts'
import type { ParsedReport, ReportCase } from './model/report.ts'

const severity: Record<ReportCase['status'], number> = {
  RESULT_STATUS_SKIPPED: 0,
  RESULT_STATUS_BLOCKED: 1,
  RESULT_STATUS_PASSED: 2,
  RESULT_STATUS_FLAKY: 3,
  RESULT_STATUS_ERROR: 4,
  RESULT_STATUS_FAILED: 5,
}

/**
 * A report in which no two cases share file, suites, name and project. Some tools list every attempt of a case as a case of
 * its own: converters of go test, whose names are unique, all of them; others the failures and then the one that passed. That
 * makes a FLAKY case. Rows of a table test may share a name as well: then the worst counts, so that no failure is hidden,
 * and a warning says so.
 */
export function mergeRepeats(report: ParsedReport): ParsedReport {
  const known = new Map<string, ReportCase[]>()
  for (const one of report.cases) {
    const key = JSON.stringify([one.file_path, one.suite_path, one.name, one.project])
    const same = known.get(key)
    if (same === undefined) known.set(key, [one])
    else same.push(one)
  }
  if (known.size === report.cases.length) return report
  let shared = 0
  const cases = [...known.values()].map((same) => {
    if (same.length > 1 && report.framework === 'pytest') return asPhases(same)
    if (report.framework === 'go' || areReruns(same)) return asAttempts(same)
    if (same.length > 1 && same[0]?.name !== LOAD_ERROR) shared += 1
    return worstCase(same)
  })
  const message = `names that several cases of one suite share: ${String(shared)}; the worst result of each was taken`
  const warnings = shared === 0 ? [] : [{ code: 'CASE_REPEATED', message, line: 0 }]
  return { ...report, cases, warnings: [...report.warnings, ...warnings] }
}

/** pytest lists a case once more when it fails in tear-down after it has failed. */
function asPhases(same: readonly ReportCase[]): ReportCase {
  return { ...worstCase(same), duration_ms: same.reduce((sum, one) => sum + one.duration_ms, 0) }
}

/** One or more failures, then one that passed: whoever reruns a test stops there. */
function areReruns(same: readonly ReportCase[]): boolean {
  return same.length > 1 && same.at(-1)?.status === 'RESULT_STATUS_PASSED' && same.slice(0, -1).every(isFailed)
}

function isFailed({ status }: ReportCase): boolean {
  return status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR'
}

function asAttempts(same: readonly ReportCase[]): ReportCase {
  const worst = worstCase(same)
  const passed = same.find(({ status }) => status === 'RESULT_STATUS_PASSED')
  const attempts = same.reduce((sum, one) => sum + one.attempts, 0)
  if (passed === undefined || !isFailed(worst)) return { ...worst, attempts }
  return { ...worst, status: 'RESULT_STATUS_FLAKY', attempts, duration_ms: passed.duration_ms }
}

function worstCase(same: readonly ReportCase[]): ReportCase {
  return same.reduce((worst, one) => (severity[one.status] > severity[worst.status] ? one : worst))
}
