import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import * as z from 'zod'
import { ServiceError } from '../../../../src/errors.ts'
import { parseReport } from '../../../../src/service/quality/reports/index.ts'
import type { ParsedReport, ReportCase } from '../../../../src/service/quality/reports/model/report.ts'

const Word = z.enum(['passed', 'failed', 'error', 'skipped', 'flaky', 'blocked'])

/** What a tool itself says of a case of a run, beside the report that it wrote of the same run. */
const StatedCase = z.strictObject({
  title: z.array(z.string()),
  status: Word,
  file: z.string().optional(),
  project: z.string().optional(),
  duration_ms: z.number().optional(),
  attempts: z.int().optional(),
  line: z.int().optional(),
  /** Where the report says less than its tool; null: nothing of the case. */
  report_says: z.strictObject({ status: Word.optional(), attempts: z.int().optional() }).nullable().optional(),
})
const Stated = z.object({ cases: z.array(StatedCase) })

export function fixtureText(path: string): string {
  return readFileSync(new URL(`fixtures/${path}`, import.meta.url), 'utf8')
}

/** Every recorded report of the formats that are text, by its path among the fixtures. */
export function recordedReports(): string[] {
  return ['junit', 'tap', 'go', 'trx'].flatMap((format) =>
    readdirSync(new URL(`fixtures/${format}/`, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:xml|tap|jsonl|trx)$/u.test(path))
      .map((path) => `${format}/${path}`),
  )
}

export function parsed(content: string): ParsedReport {
  return parseReport({ name: '', content })
}

export function recorded(path: string): ParsedReport {
  return parsed(fixtureText(path))
}

/** What is in the report of the cases that its tool states, where it has no files and one title for all suites. */
export function statedTitles(statedPath: string): string[] {
  return statedIn(statedPath).map((one) => `${{ ...one, ...one.report_says }.status} ${one.title.join(' ')}`)
}

function statedIn(path: string): z.output<typeof StatedCase>[] {
  return Stated.parse(JSON.parse(fixtureText(path))).cases.filter((one) => one.report_says !== null)
}

/** Compares a recorded report with what its tool says: the same cases, each with its status, attempts and duration. */
export function expectAsStated(reportPath: string, statedPath: string): void {
  const { cases } = recorded(reportPath)
  const stated = statedIn(statedPath)
  const rows = stated.map((one) => {
    const { status, attempts } = { ...one, ...one.report_says }
    return row(one.file ?? '', one.title, one.project ?? '', status, attempts ?? 1)
  })
  expect(cases.map(rowOf).toSorted()).toEqual(rows.toSorted())
  const found = (one: z.output<typeof StatedCase>) =>
    cases.find((read) => keyOf(read) === key(one.file ?? '', one.title, one.project ?? ''))
  const apart = stated.map((one) => Math.abs(found(one)!.duration_ms - (one.duration_ms ?? found(one)!.duration_ms)))
  // Reports are rounded to milliseconds, some of them before they are added up.
  expect(Math.max(...apart)).toBeLessThanOrEqual(1)
  expect(stated.map((one) => found(one)!.line)).toEqual(stated.map((one) => one.line ?? found(one)!.line))
}

/** `RESULT_STATUS_FLAKY` as `flaky`. */
export function word({ status }: Pick<ReportCase, 'status'>): string {
  return status.slice('RESULT_STATUS_'.length).toLowerCase()
}

/** `<status> <attempts>x <file> | <suites> > <name> | <project>`. */
export function rowOf(read: ReportCase): string {
  return row(read.file_path, [...read.suite_path, read.name], read.project, word(read), read.attempts)
}

function row(file: string, title: readonly string[], project: string, status: string, attempts: number): string {
  return `${status} ${String(attempts)}x ${key(file, title, project)}`
}

function keyOf(read: ReportCase): string {
  return key(read.file_path, [...read.suite_path, read.name], read.project)
}

function key(file: string, title: readonly string[], project: string): string {
  return `${file} | ${title.join(' > ')} | ${project}`
}

/** The ServiceError that reading throws; anything else thrown is a failure of the test. */
export function refused(read: () => unknown): Pick<ServiceError, 'reason' | 'message' | 'metadata'> {
  try {
    read()
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    expect(thrown.code).toBe('invalid_argument')
    const { reason, message, metadata } = thrown
    return { reason, message, metadata }
  }
  throw new Error('it was read')
}
