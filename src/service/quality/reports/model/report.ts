import type * as z from 'zod'
import type { ResultStatus } from '../../../../contract/base/common.ts'
import type { ReportFormat } from '../../../../contract/test-ingest.ts'

/** The most cases that one report may have. */
export const MOST_CASES = 200_000

/** One case as a report describes it, in the same form for every format (contract §4.2). */
export interface ReportCase {
  /** As the report says, with `/`; '' when it does not say. */
  file_path: string
  /** Whether the path is the name of the report, because the case has no other place: bare names are unique in one report. */
  isFileOfReport?: boolean
  suite_path: string[]
  name: string
  /** The browser or other variant, when the same case runs in several. */
  project: string
  status: z.output<typeof ResultStatus>
  attempts: number
  /** Whole milliseconds. */
  duration_ms: number
  /** Without terminal colours; '' when it passed. */
  message: string
  trace: string
  /** 0 when the report does not say. */
  line: number
  tags: string[]
  labels: Record<string, string>
  /** The reporter's own id. */
  external_id: string
  /** Property and annotation values that may name requirements, in addition to name, suites and tags. */
  references: string[]
  /** Epoch milliseconds. */
  started_at: number | null
  /** A digest of the report that it is in: the same report sent again is no other attempt. */
  source?: string
}

export interface ReportWarning {
  /** Upper case, such as `CASE_WITHOUT_NAME`. */
  code: string
  /** In our own words; never quotes the report. */
  message: string
  /** 0 when it applies to no single line. */
  line: number
}

export interface ParsedReport {
  format: z.output<typeof ReportFormat>
  /** The tool that ran the cases, lower case (`vitest`, `pytest`); '' when the report does not reveal it. */
  framework: string
  cases: ReportCase[]
  /** Epoch milliseconds. */
  started_at: number | null
  finished_at: number | null
  warnings: ReportWarning[]
}

export interface ReportInput {
  /** File name, or '' */
  name: string
  content: string | object
  /** AUTO or absent: detected by content. */
  format?: z.output<typeof ReportFormat> | undefined
}
