import { Parser, type Result } from 'tap-parser'
import { counted } from '../../../../lib/counted.ts'
import { reportUnparsable } from '../model/errors.ts'
import type { ReportWarning } from '../model/report.ts'
import { LONGEST_MESSAGE, plainText } from '../model/text.ts'
import type { Diagnostics } from './diagnostics.ts'
import { tapLines, type TapLine } from './lines.ts'

/** A subtest; its name may only be known once its closing test point is read. */
export interface Subtest {
  name: string
  points: number
  failures: number
}

/** A test point. */
export interface TestPoint {
  result: Result
  /** Its own number, else that of its place among the points of its stream or subtest, from 1. */
  number: number
  /** The subtests around it, outermost first. */
  groups: readonly Subtest[]
  /** The subtest that this point closes. */
  closes: Subtest | undefined
  diagnostics: Diagnostics
  /** The comment above it. */
  heading: string
  /** The lines between this point and the next that are not TAP. */
  notes: string[]
}

/** Why a stream or a subtest of it has failed, whatever its test points say. */
export interface TapBreak {
  /** The subtests around it, outermost first; empty for the stream itself. */
  groups: readonly Subtest[]
  message: string
}

export interface TapStream {
  points: TestPoint[]
  warnings: ReportWarning[]
  breaks: TapBreak[]
  /** Why all of it was skipped: the plan was `1..0`; undefined when it was not. */
  skipped: string | undefined
  /** Whether any of it was TAP. */
  isTap: boolean
  /** Comments that summarize the run, such as `tests 5`. */
  summary: string[]
}

const MOST_LEVELS = 100
const MOST_POINTS = 200_000
const MOST_LINES = 1_000_000
const MOST_NOTES = 200
const MOST_BREAKS = 1000
const MOST_WARNINGS = 100
const SUMMARY = /^(?:tests|pass|fail|ok|skip|todo|suites|cancelled|skipped|duration_ms)\b/u

interface Reading extends TapStream {
  /** The last test point of each level, until the parser emits its result. */
  awaited: (TapLine | undefined)[]
  headings: string[]
  heading: string
  notes: string[]
  line: number
  hasVersion: boolean
}

/**
 * Reads a TAP 13 or 14 stream. Throws `REPORT_UNPARSABLE` for one that is too deeply nested or has more than `mostLines`
 * lines of TAP.
 */
export function readTap(text: string, { mostLines = MOST_LINES } = {}): TapStream {
  const parser = new Parser({})
  const reading: Reading = {
    points: [],
    warnings: [],
    breaks: [],
    skipped: undefined,
    isTap: false,
    summary: [],
    awaited: [],
    headings: [],
    heading: '',
    notes: [],
    line: 0,
    hasVersion: false,
  }
  listen(reading, parser, [])
  parser.on('version', () => void (reading.hasVersion = true))
  parser.on('bailout', (reason?: string) => {
    const said = plainText(reason ?? '', LONGEST_MESSAGE).trim()
    warn(reading, 'BAIL_OUT', 'the run bailed out: tests after this line did not run')
    addBreak(reading, [], said === '' ? 'The run bailed out.' : `The run bailed out: ${said}`)
  })
  let fed = 0
  for (const line of tapLines(text)) {
    reading.line = line.number
    if (line.kind === 'note') {
      note(reading, line.text)
      continue
    }
    if ((fed += 1) > mostLines)
      throw unparsable(`it has more than ${mostLines.toLocaleString('en')} lines of TAP`, line.number)
    reading.isTap = true
    parser.write(`${line.text}\n`)
    if (line.kind === 'point') expectResult(reading, line)
  }
  parser.end()
  return reading
}

function unparsable(what: string, line: number) {
  return reportUnparsable('REPORT_FORMAT_TAP', what, line)
}

function expectResult(reading: Reading, line: TapLine): void {
  const level = Math.floor((line.text.length - line.text.trimStart().length) / 4)
  reading.awaited[level] = line
  reading.headings[level] = reading.heading
}

function listen(reading: Reading, parser: Parser, groups: readonly Subtest[]): void {
  const { level } = parser
  if (level > MOST_LEVELS)
    throw unparsable(`its subtests are nested more than ${String(MOST_LEVELS)} levels deep`, reading.line)
  let closing: Subtest | undefined
  let points = 0
  parser.on('child', (child: Parser) => {
    closing = { name: child.name, points: 0, failures: 0 }
    listen(reading, child, [...groups, closing])
  })
  parser.on('assert', (result: Result) => {
    const closes = closing
    closing = undefined
    points += 1
    // The closing point has the name without the escapes in the comment that announced the subtest.
    if (closes !== undefined && result.name !== '') closes.name = result.name
    const own = groups.at(-1)
    if (own !== undefined) {
      own.points += 1
      if (!result.ok && result.todo === false && result.skip === false) own.failures += 1
    }
    addPoint(reading, { result, number: result.id || points, groups, closes, level })
  })
  parser.on('extra', (line: string) => {
    if (/^\s*(?:not )?ok\b/u.test(line)) addBreak(reading, groups, 'It has tests after its plan.')
  })
  parser.on('complete', () => checkPlan(reading, parser, groups))
}

/**
 * The plan is a check that the file has not stopped prematurely. The runners that state a version write it, often at the
 * end; a script of a few lines may have none.
 */
function checkPlan(reading: Reading, parser: Parser, groups: readonly Subtest[]): void {
  if (parser.bailedOut) return
  const { count, planStart, planEnd, planComment, level, failures, syntheticPlan } = parser
  if (planStart === -1 || syntheticPlan) {
    if (level > 0 || !reading.isTap) return
    warn(reading, 'PLAN_MISSING', 'it has no plan: the run may be incomplete')
    if (reading.hasVersion || count === 0) addBreak(reading, groups, 'It ended without a plan.')
    return
  }
  const planned = planEnd - planStart + 1
  const isMisnumbered = failures.some((one) => typeof one.tapError === 'string')
  if (planned !== count) {
    const counts = `${counted(planned, 'test was', 'tests were')} planned and ${String(count)} reported`
    warn(reading, 'PLAN_MISMATCH', counts)
    addBreak(reading, groups, `${counts}.`)
  } else if (isMisnumbered) addBreak(reading, groups, 'A test has a number outside of the plan, or that of another.')
  else if (level === 0 && planned === 0)
    reading.skipped = plainText(planComment, LONGEST_MESSAGE)
      .replace(/^\s*skip\S*\s*/iu, '')
      .trim()
}

function addBreak(reading: Reading, groups: readonly Subtest[], message: string): void {
  // The point that closes the subtest need not say it again.
  const own = groups.at(-1)
  if (own !== undefined) own.failures += 1
  if (reading.breaks.length < MOST_BREAKS) reading.breaks.push({ groups, message })
}

function addPoint(
  reading: Reading,
  point: Omit<TestPoint, 'diagnostics' | 'heading' | 'notes'> & { level: number },
): void {
  const { level, ...rest } = point
  const diagnostics = reading.awaited[level]?.diagnostics ?? new Map<string, string>()
  const added = { ...rest, diagnostics, heading: reading.headings[level] ?? '', notes: reading.notes }
  reading.awaited[level] = undefined
  reading.notes = []
  if (reading.points.push(added) > MOST_POINTS) {
    throw unparsable('it has more than 200,000 test points; split it into several reports', reading.line)
  }
}

/** Comments are headings or summaries. Indented comments, like lines that are not TAP, describe a failure. */
function note(reading: Reading, text: string): void {
  const comment = /^# ?(\S.*)$/u.exec(text)?.[1]
  if (comment === undefined) {
    if (reading.notes.length < MOST_NOTES) reading.notes.push(text.replace(/^(\s*)#/u, '$1'))
  } else if (SUMMARY.test(comment)) {
    if (reading.summary.length < MOST_NOTES) reading.summary.push(comment)
  } else {
    reading.heading = comment
  }
}

function warn(reading: Reading, code: string, message: string): void {
  if (reading.warnings.length < MOST_WARNINGS) reading.warnings.push({ code, message, line: reading.line })
}
