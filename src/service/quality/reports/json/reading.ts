import type * as z from 'zod'
import { isObject } from '../../../../lib/objects.ts'
import { reportEmpty, reportUnparsable } from '../model/errors.ts'
import { MOST_CASES, type ParsedReport, type ReportCase, type ReportWarning } from '../model/report.ts'

type Format = ParsedReport['format']

/** A report whose suites are nested deeper is refused. */
export const DEEPEST_SUITE = 100

const sentences = {
  CASE_UNREADABLE: (count) => `${count} entries of the list of cases are no objects and were left out`,
  CASE_WITHOUT_NAME: (count) => `${count} cases have no name and were left out`,
  FILE_UNREADABLE: (count) => `${count} entries of the list of files or suites have no list of cases and were left out`,
  FILE_FAILED_OUTSIDE_CASES: (count) =>
    `${count} files failed although none of their cases did: look at their hooks, and at the output of the tool`,
  STATUS_UNKNOWN: (count) => `${count} cases have a status that the format does not know; they count as skipped`,
  MEMBER_IGNORED: (count, members) => `${count} members have the wrong type and were left out: ${members}`,
  RUN_ERRORS: (count) => `the run had ${count} errors that belong to no case: look at the output of the tool`,
} satisfies Record<string, (count: string, members: string) => string>
type WarningCode = keyof typeof sentences

/** What must hold of a report as a whole; throws REPORT_UNPARSABLE and names the first member that does not. */
export function readFrame<S extends z.ZodType>(schema: S, json: unknown, format: Format): z.output<S> {
  const { success, data, error } = schema.safeParse(json)
  if (success) return data
  // The path holds names of the schema only: lists are read entry by entry, later.
  const path = error.issues[0]?.path.map(String).join('.') ?? ''
  throw reportUnparsable(format, path === '' ? 'it is no JSON object' : `${path} is missing or of another type`)
}

/** The cases of a report and what was wrong with it, while it is read. */
export interface Reading {
  /** Throws REPORT_UNPARSABLE when there are too many. */
  add(one: ReportCase): void
  /** The entry's members, without those of the wrong type, which are counted; undefined when it is no object. */
  members<S extends z.ZodObject>(schema: S, entry: unknown): z.output<S> | undefined
  warn(code: WarningCode, count?: number): void
  /** Throws REPORT_EMPTY when there is no case. Warnings are one per kind, with a count: they do not grow with the report. */
  end(): Pick<ParsedReport, 'format' | 'cases' | 'warnings'>
}

/** Reads a report of this format, entry by entry. Schemas given to `members` have optional members only. */
export function startReading(format: Format): Reading {
  const cases: ReportCase[] = []
  const counts = new Map<WarningCode, number>()
  const ignored = new Set<string>()
  const warn = (code: WarningCode, count = 1) => void counts.set(code, (counts.get(code) ?? 0) + count)
  return {
    warn,
    add(one) {
      if (cases.length >= MOST_CASES) {
        throw reportUnparsable(
          format,
          `it has more than ${String(MOST_CASES)} cases; send it in parts, with one run_key`,
        )
      }
      cases.push(one)
    },
    members(schema, entry) {
      if (!isObject(entry)) return undefined
      const { success, data, error } = schema.safeParse(entry)
      if (success) return data
      const wrong = new Set(error.issues.map(({ path }) => String(path[0])))
      for (const member of wrong) ignored.add(member)
      warn('MEMBER_IGNORED', wrong.size)
      return schema.parse(Object.fromEntries(Object.entries(entry).filter(([member]) => !wrong.has(member))))
    },
    end() {
      if (cases.length === 0) throw reportEmpty(format)
      const members = [...ignored].toSorted().join(', ')
      const warnings = [...counts].map(([code, count]): ReportWarning => {
        return { code, message: sentences[code](String(count), members), line: 0 }
      })
      return { format, cases, warnings }
    },
  }
}
