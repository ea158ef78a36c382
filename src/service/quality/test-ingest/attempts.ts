import { hash } from 'node:crypto'
import * as z from 'zod'
import { ResultStatus } from '../../../contract/base/common.ts'
import type { ReportCase } from '../reports/model/report.ts'
import { wholeMilliseconds, wholeNumber } from '../reports/model/text.ts'

type ResultStatusName = z.output<typeof ResultStatus>

/** One report of a case in a run; the same report sent again has the same digest. */
const RecordedReport = z.object({
  digest: z.string(),
  status: ResultStatus,
  attempts: z.int(),
  duration_ms: z.int(),
  /** When the case started, in epoch milliseconds; null when the report does not say. */
  at: z.int().nullable().default(null),
  /** Whether its message and trace are the ones that are kept. */
  told: z.boolean(),
})
export type RecordedReport = z.output<typeof RecordedReport>

/** Schema of the JSON column `test_result.reported`: in the order of arrival. */
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

/** A digest of what a report says of a case: the same report sent twice is one attempt (contract §4.1). */
function reportDigest({ source = '', status, attempts, duration_ms, message, trace, started_at }: ReportCase): string {
  const said = JSON.stringify([source, status, attempts, duration_ms, message, trace, started_at])
  return hash('sha256', said, 'hex').slice(0, 16)
}

/**
 * Adds a report of a case to those of its run; undefined if the run already has it. The last attempt decides: by the
 * times in the reports when all of them have one, else in the order of arrival (contract §4.1).
 */
export function addReport(known: readonly RecordedReport[], reported: ReportCase): Outcome | undefined {
  const digest = reportDigest(reported)
  if (known.some((one) => one.digest === digest)) return undefined
  const { status, attempts, duration_ms, started_at } = reported
  const added = { digest, status, attempts, duration_ms, at: started_at, told: false }
  const all = [...known, added]
  const inOrder = byTime(all)
  const before = known.find(({ told }) => told)
  const tellsNew = before === undefined || tells(added, before, inOrder)
  const teller = tellsNew ? added : before
  return {
    status: mergedStatus(inOrder.map((one) => one.status)),
    attempts: wholeNumber(total(all, 'attempts'), 1),
    duration_ms: wholeMilliseconds(total(all, 'duration_ms')),
    reported: all.map((one) => ({ ...one, told: one === teller })),
    tellsNew,
  }
}

function total(reports: readonly RecordedReport[], member: 'attempts' | 'duration_ms'): number {
  return reports.reduce((sum, one) => sum + one[member], 0)
}

function byTime(reports: readonly RecordedReport[]): readonly RecordedReport[] {
  if (reports.some(({ at }) => at === null)) return reports
  return reports.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
}

/** The text of the last failure is kept, else that of the last report. */
function tells(added: RecordedReport, before: RecordedReport, inOrder: readonly RecordedReport[]): boolean {
  if (isFailure(added.status) !== isFailure(before.status)) return isFailure(added.status)
  return inOrder.indexOf(added) > inOrder.indexOf(before)
}

function isFailure(status: ResultStatusName): boolean {
  return status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR'
}

/**
 * The last attempt decides, and a pass after a failure is flaky. A skipped case says nothing of an attempt elsewhere; a
 * blocked one takes back a pass, because its file failed afterwards, but hides no failure.
 */
function mergedStatus(inOrder: readonly ResultStatusName[]): ResultStatusName {
  let merged: ResultStatusName = 'RESULT_STATUS_SKIPPED'
  let hasFailed = false
  for (const status of inOrder) {
    if (status === 'RESULT_STATUS_SKIPPED') continue
    if (status === 'RESULT_STATUS_BLOCKED' && isFailure(merged)) continue
    hasFailed ||= isFailure(status) || status === 'RESULT_STATUS_FLAKY'
    merged = status === 'RESULT_STATUS_PASSED' && hasFailed ? 'RESULT_STATUS_FLAKY' : status
  }
  return merged
}
