import type * as z from 'zod'
import { isObject } from '../../../../lib/objects.ts'
import { reportEmpty, reportUnparsable } from '../model/errors.ts'
import { isRed, runError, UNNAMED } from '../model/synthetic.ts'
import { MOST_CASES, type ParsedReport, type ReportCase, type ReportWarning } from '../model/report.ts'

type Format = ParsedReport['format']

/** Reports with suites nested deeper than this are rejected. */
export const DEEPEST_SUITE = 100

const sentences = {
  CASE_UNREADABLE: (count) => `${count} entries in the list of cases are not objects and were skipped`,
  CASE_WITHOUT_NAME: (count) => `${count} cases have no name and were skipped`,
  FILE_UNREADABLE: (count) => `${count} entries in the list of files or suites have no list of cases and were skipped`,
  STATUS_UNKNOWN: (count) => `${count} cases have a status that the format does not define; they count as skipped`,
  MEMBER_IGNORED: (count, members) => `${count} members have the wrong type and were ignored: ${members}`,
  RUN_ERRORS: (count) => `the run had ${count} errors outside of any case: check the output of the tool`,
} satisfies Record<string, (count: string, members: string) => string>
type WarningCode = keyof typeof sentences

/**
 * Parses the top-level members of a report; throws REPORT_UNPARSABLE with the name of the first one that does not
 * match.
 */
export function readFrame<S extends z.ZodType>(schema: S, json: unknown, format: Format): z.output<S> {
  const { success, data, error } = schema.safeParse(json)
  if (success) return data
  // The path holds only names of the schema: lists are read entry by entry, later.
  const path = error.issues[0]?.path.map(String).join('.') ?? ''
  throw reportUnparsable(format, path === '' ? 'it is not a JSON object' : `${path} is missing or has the wrong type`)
}

/** Collects the cases of a report and its warnings while it is read. */
export interface Reading {
  /**
   * Adds a case; throws REPORT_UNPARSABLE when there are too many. One without a name is skipped with a warning, unless
   * it failed.
   */
  add(one: ReportCase): void
  /** Adds the error of a run that its report calls failed, unless something in it shows why. */
  failRun(message: string): void
  /** The entry's members without those of the wrong type, which are counted; undefined when it is not an object. */
  members<S extends z.ZodObject>(schema: S, entry: unknown): z.output<S> | undefined
  warn(code: WarningCode, count?: number): void
  /**
   * Throws REPORT_EMPTY without cases. There is one warning per code, with a count, so warnings do not grow with the
   * report.
   */
  end(): Pick<ParsedReport, 'format' | 'cases' | 'warnings'>
}

/**
 * Starts to read a report of this format, entry by entry. Schemas passed to `members` may only have optional members.
 */
export function startReading(format: Format): Reading {
  const cases: ReportCase[] = []
  const counts = new Map<WarningCode, number>()
  const ignored = new Set<string>()
  const warn = (code: WarningCode, count = 1) => void counts.set(code, (counts.get(code) ?? 0) + count)
  return {
    warn,
    add(one) {
      if (one.name === '' && !isRed(one)) return warn('CASE_WITHOUT_NAME')
      if (cases.length >= MOST_CASES) {
        throw reportUnparsable(
          format,
          `it has more than ${String(MOST_CASES)} cases; send it in parts with the same run_key`,
        )
      }
      cases.push(one.name === '' ? { ...one, name: UNNAMED } : one)
    },
    failRun(message) {
      if (!cases.some(isRed)) cases.push(runError({}, { message }))
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
