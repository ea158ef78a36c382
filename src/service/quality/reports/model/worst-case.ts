import type { ReportCase } from './report.ts'

const severity: Record<ReportCase['status'], number> = {
  RESULT_STATUS_SKIPPED: 0,
  RESULT_STATUS_PASSED: 1,
  RESULT_STATUS_FLAKY: 2,
  // What one of them proves, the other took back.
  RESULT_STATUS_BLOCKED: 3,
  RESULT_STATUS_ERROR: 4,
  RESULT_STATUS_FAILED: 5,
}

/** The case with the worst result: what several cases of one report that are one test come to (contract §4.2). */
export function worstCase(same: readonly ReportCase[]): ReportCase {
  return same.reduce((worst, one) => (severity[one.status] > severity[worst.status] ? one : worst))
}
