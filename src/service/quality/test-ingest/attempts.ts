import { createHash } from 'node:crypto'
import * as z from 'zod'
import { ResultStatus } from '../../../contract/base/common.ts'
import type { ReportCase } from '../reports/model/report.ts'

type ResultStatusName = z.output<typeof ResultStatus>

/** One report of a case in a run; identical reports have the same digest. */
const RecordedReport = z.object({
  digest: z.string(),
  status: ResultStatus,
  attempts: z.int(),
  duration_ms: z.int(),
  /** Whether its message and trace are the ones that are kept. */
  told: z.boolean(),
})
export type RecordedReport = z.output<typeof RecordedReport>

/** Schema of the JSON column `test_result.reported`. */
export const ReportedList = z.array(RecordedReport)

/** The combined result of the reports of a case in one run. */
export interface Outcome {
  status: ResultStatusName
  attempts: number
  duration_ms: number
  reported: RecordedReport[]
  /** Whether the message and trace to keep are those of the report that was just added. */
  tellsNew: boolean
}

/** A digest of the report of a case: sent twice, it is one attempt (contract §4.1). */
function reportDigest({ status, attempts, duration_ms, message, trace, started_at }: ReportCase): string {
  const said = JSON.stringify([status, attempts, duration_ms, message, trace, started_at])
  return createHash('sha256').update(said).digest('hex').slice(0, 16)
}

/**
 * Adds a report of a case to those of its run; undefined if the run already has it. The outcome does not depend on the
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

/** A passed and a failed attempt make a flaky case; a case that was skipped once and ran once counts as run. */
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
