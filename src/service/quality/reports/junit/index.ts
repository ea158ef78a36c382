import { cutWithEllipsis } from '../../../../lib/text.ts'
import { reportEmpty } from '../model/errors.ts'
import { detectFlavour, type Flavour } from './flavour.ts'
import { locateCase, locateSuite } from './place.ts'
import { readDocument, type JunitCase, type Property, type JunitSuite } from './read.ts'
import type { Outcome } from './outcome.ts'
import { isRed, LOAD_ERROR, runError, UNNAMED, withheld } from '../model/synthetic.ts'
import type { ParsedReport, ReportCase, ReportWarning } from '../model/report.ts'
import { LONGEST_MESSAGE, namesRequirement, plainText, reportTime, secondsToMilliseconds } from '../model/text.ts'

/** Attributes of `<testcase>` that are read; any other is kept as a label. */
const READ = new Set(['name', 'classname', 'class', 'file', 'filepath', 'line', 'time', 'timestamp', 'id', 'failure'])
const MOST_WARNINGS = 100
const MOST_LABELS = 50

/**
 * Parses a JUnit XML report from any tool (contract §4.2). Throws `REPORT_UNPARSABLE` (metadata `line`) when it is not
 * well formed or uses unsafe XML, `REPORT_EMPTY` when it has no cases.
 */
export function parseJunit(xml: string): ParsedReport {
  const document = readDocument(xml)
  const flavour = detectFlavour(document)
  const inheritedBy = suiteReferences()
  const hasFailed = failedSuites()
  const warnings: ReportWarning[] = []
  const cases = document.cases.flatMap((one): ReportCase[] => {
    const read = toCase(flavour, one, inheritedBy(one.suite))
    if (read.name !== '') return [hasFailed(one.suite) ? withheld(read) : read]
    if (isRed(read)) return [{ ...read, name: UNNAMED }]
    if (warnings.length < MOST_WARNINGS) {
      warnings.push({ code: 'CASE_WITHOUT_NAME', message: 'a case without a name was skipped', line: one.line })
    }
    return []
  })
  for (const suite of document.suites)
    if (suite.error !== undefined) cases.push(runError(locateSuite(flavour, suite), suite.error))
  if (cases.length === 0) throw reportEmpty('REPORT_FORMAT_JUNIT_XML')
  return {
    format: 'REPORT_FORMAT_JUNIT_XML',
    framework: flavour === 'other' ? '' : flavour,
    cases,
    ...times(document.suites),
    warnings,
  }
}

function toCase(flavour: Flavour, one: JunitCase, inherited: readonly Property[]): ReportCase {
  const { attributes, outcome } = one
  const properties = one.properties.slice(0, MOST_LABELS)
  const place = locateCase(flavour, one)
  const said = [...properties, ...inherited].slice(0, MOST_LABELS)
  const isLoadError = place.name === LOAD_ERROR && outcome.status === 'RESULT_STATUS_FAILED'
  return {
    file_path: plainText(place.file_path, LONGEST_MESSAGE),
    suite_path: place.suite_path.map(title),
    name: title(place.name),
    project: title(place.project),
    status: isLoadError ? 'RESULT_STATUS_ERROR' : outcome.status,
    attempts: flavour === 'playwright' ? Math.max(outcome.attempts, attemptsInTrace(outcome.trace)) : outcome.attempts,
    duration_ms: secondsToMilliseconds(attributes['time']),
    message: flavour === 'go' ? goMessage(outcome) : outcome.message,
    trace: outcome.trace,
    line: lineIn(flavour, attributes['line']),
    tags: said
      .filter(([name]) => /^tags?$/iu.test(name))
      .flatMap(([, value]) => value.split(/[\s,]+/u).filter(Boolean)),
    labels: caseLabels(attributes, properties),
    external_id: attributes['id']?.trim() ?? '',
    references: said.filter(([name, value]) => value !== '' && namesRequirement(name)).map(([, value]) => value),
    started_at: reportTime(attributes['timestamp']) ?? reportTime(one.suite.attributes['timestamp']),
  }
}

/**
 * Converters of go test write `Failed` or the whole output; the message is the first line that is not a `===` or `---`
 * mark.
 */
function goMessage({ message, trace }: Outcome): string {
  const output = message === 'Failed' ? trace : message
  const said = output.split('\n').find((line) => line.trim() !== '' && !/^\s*(?:===|---) /u.test(line))
  return cutWithEllipsis((said ?? message).trim(), LONGEST_MESSAGE)
}

/** Playwright's failure text has a heading for every retry. */
function attemptsInTrace(trace: string): number {
  const retries = [...trace.matchAll(/^\s*Retry #(\d{1,3}) ─/gmu)].map(([, number]) => Number(number))
  return 1 + Math.max(0, ...retries)
}

function title(text: string): string {
  return plainText(text).trim()
}

/** Whether the suite or one around it failed outside of its cases, computed once per suite. */
function failedSuites(): (suite: JunitSuite | undefined) => boolean {
  const known = new Map<JunitSuite, boolean>()
  return function has(suite): boolean {
    if (suite === undefined) return false
    const failed = known.get(suite) ?? (suite.error !== undefined || has(suite.parent))
    known.set(suite, failed)
    return failed
  }
}

/** Looks up the properties that a suite passes on to its cases, its own and its parents', computed once per suite. */
function suiteReferences(): (suite: JunitSuite | undefined) => readonly Property[] {
  const known = new Map<JunitSuite, readonly Property[]>()
  return function of(suite): readonly Property[] {
    if (suite === undefined) return []
    const before = known.get(suite)
    if (before !== undefined) return before
    const own = suite.properties.filter(([name]) => namesRequirement(name))
    const all = [...own, ...of(suite.parent)].slice(0, MOST_LABELS)
    known.set(suite, all)
    return all
  }
}

function caseLabels(attributes: Record<string, string>, properties: readonly Property[]): Record<string, string> {
  const labels = new Map<string, string>()
  const unread = Object.entries(attributes).filter(([name]) => !READ.has(name) && !name.startsWith('xmlns'))
  for (const [name, value] of [...unread, ...properties]) {
    if (labels.size >= MOST_LABELS) break
    const known = labels.get(name)
    labels.set(name, plainText(known === undefined ? value : `${known}, ${value}`, LONGEST_MESSAGE))
  }
  return Object.fromEntries(labels)
}

function lineIn(flavour: Flavour, text: string | undefined): number {
  if (text === undefined || !/^\s*\d{1,7}\s*$/u.test(text)) return 0
  // pytest counts lines from 0.
  return Number(text) + (flavour === 'pytest' ? 1 : 0)
}

/** From the start of the earliest suite to the end of the latest, by their `timestamp` and `time`. */
function times(suites: readonly JunitSuite[]): { started_at: number | null; finished_at: number | null } {
  let started = Infinity
  let finished = -Infinity
  for (const { attributes } of suites) {
    const at = reportTime(attributes['timestamp'])
    if (at === null) continue
    started = Math.min(started, at)
    finished = Math.max(finished, at + secondsToMilliseconds(attributes['time']))
  }
  return started === Infinity ? { started_at: null, finished_at: null } : { started_at: started, finished_at: finished }
}
