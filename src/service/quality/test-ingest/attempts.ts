import { createHash } from 'node:crypto'
import * as z from 'zod'
import { ResultStatus } from '../../../contract/base/common.ts'
import type { ReportCase } from '../reports/model/report.ts'

type ResultStatusName = z.output<typeof ResultStatus>

/** One report of a case in a run; the same report has the same digest. */
const RecordedReport = z.object({
  digest: z.string(),
  status: ResultStatus,
  attempts: z.int(),
  duration_ms: z.int(),
  /** Its message and trace are the ones that are kept. */
  told: z.boolean(),
})
export type RecordedReport = z.output<typeof RecordedReport>

/** What `test_result.reported` holds. */
export const ReportedList = z.array(RecordedReport)

/** What the reports of a case in one run come to. */
export interface Outcome {
  status: ResultStatusName
  attempts: number
  duration_ms: number
  reported: RecordedReport[]
  /** Whether message and trace of the report that was added last are the ones to keep. */
  tellsNew: boolean
}

/** Digest of what a report says about a case: sent twice, it is one attempt (contract §4.1). */
function reportDigest({ status, attempts, duration_ms, message, trace, started_at }: ReportCase): string {
  const said = JSON.stringify([status, attempts, duration_ms, message, trace, started_at])
  return createHash('sha256').update(said).digest('hex').slice(0, 16)
}

/**
 * Adds a report of a case to those that its run has; undefined when it is one of them. The outcome does not depend on the
 * order in which reports arrive.
 */
export function addReport(known: readonly RecordedReport[], reported: ReportCase): Outcome | undefined {
  const digest = reportDigest(reported)
  if (known.some((one) => one.digest === digest)) return undefined
  const { status, attempts, duration_ms } = reported
  const all = [...known, { digest, status, attempts, duration_ms, told: false }].toSorted((a, b) =>
    a.digest < b.digest ? -1 : 1,
  )
  const teller = all.find((one) => isFailure(one.status)) ?? all[0]
  return {
    status: mergedStatus(all.map((one) => one.status)),
    attempts: all.reduce((sum, one) => sum + one.attempts, 0),
    duration_ms: all.reduce((sum, one) => sum + one.duration_ms, 0),
    reported: all.map((one) => ({ ...one, told: one === teller })),
    tellsNew: teller?.digest === digest,
  }
}

function isFailure(status: ResultStatusName): boolean {
  return status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR'
}

/** One attempt that passed and one that failed are a flaky case; what was skipped once and ran once did run. */
function mergedStatus(statuses: readonly ResultStatusName[]): ResultStatusName {
  const has = (status: ResultStatusName) => statuses.includes(status)
  const passed = has('RESULT_STATUS_PASSED') || has('RESULT_STATUS_FLAKY')
  const failed = has('RESULT_STATUS_FAILED') || has('RESULT_STATUS_ERROR')
  if (has('RESULT_STATUS_FLAKY') || (passed && failed)) return 'RESULT_STATUS_FLAKY'
  if (has('RESULT_STATUS_ERROR')) return 'RESULT_STATUS_ERROR'
  if (failed) return 'RESULT_STATUS_FAILED'
  if (passed) return 'RESULT_STATUS_PASSED'
  return has('RESULT_STATUS_BLOCKED') ? 'RESULT_STATUS_BLOCKED' : 'RESULT_STATUS_SKIPPED'
}
