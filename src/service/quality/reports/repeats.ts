import { counted } from '../../../lib/counted.ts'
import { isRed, syntheticNames } from './model/synthetic.ts'
import { worstCase } from './model/worst-case.ts'
import type { ParsedReport, ReportCase } from './model/report.ts'

/**
 * Merges cases that share file, suites, name and project. The worst result counts, and a warning is added: they may be
 * rows of a table test, assertions, projects or repetitions, and the run fails when any of them does (contract §4.3). Names
 * in go test are unique, so cases with the same name are attempts: failures followed by a pass are FLAKY.
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
    if (report.framework === 'go') return asAttempts(same)
    if (same.length > 1 && !syntheticNames.includes(same[0]?.name ?? '')) shared += 1
    return worstCase(same)
  })
  const message = `${counted(shared, 'name')} shared by several cases of one suite; the worst result of each was kept`
  const warnings = shared === 0 ? [] : [{ code: 'CASE_REPEATED', message, line: 0 }]
  return { ...report, cases, warnings: [...report.warnings, ...warnings] }
}

/** pytest lists a case a second time when it also fails in teardown. */
function asPhases(same: readonly ReportCase[]): ReportCase {
  return { ...worstCase(same), duration_ms: same.reduce((sum, one) => sum + one.duration_ms, 0) }
}

/** One or more failures followed by a pass: gotestsum reruns a test until it passes. */
function areReruns(same: readonly ReportCase[]): boolean {
  return same.length > 1 && same.at(-1)?.status === 'RESULT_STATUS_PASSED' && same.slice(0, -1).every(isRed)
}

function asAttempts(same: readonly ReportCase[]): ReportCase {
  const worst = worstCase(same)
  const attempts = same.reduce((sum, one) => sum + one.attempts, 0)
  if (!areReruns(same)) return { ...worst, attempts }
  return { ...worst, status: 'RESULT_STATUS_FLAKY', attempts, duration_ms: same.at(-1)?.duration_ms ?? 0 }
}
