import { cutWithEllipsis } from '../../../../lib/text.ts'
import { firstLine, LONGEST_MESSAGE, LONGEST_TRACE, plainText } from '../model/text.ts'
import type { ReportCase } from '../model/report.ts'
import { decodeContent, readChildren, type Where, type XmlElement } from '../xml/element.ts'

/** The result that a `<testcase>` reports. */
export interface Outcome {
  status: ReportCase['status']
  attempts: number
  message: string
  trace: string
  /** Whether it has an element of a failure, also one that does not make it fail. */
  showsFailure: boolean
}

// Surefire writes the earlier attempts of a case next to its last one; Playwright, Gradle and nextest do the same.
const FLAKY = new Set(['flakyFailure', 'flakyError'])
const RERUN = new Set(['rerunFailure', 'rerunError'])
const FAILED = /^(?:fail(?:ed|ure)?|error(?:ed)?|broken|crash(?:ed)?|abort(?:ed)?|time[d ]?out)$/iu
// Catch2 lists the failed assertions of a case that may fail.
const MAY_FAIL = /!(?:may|should)fail/u
const NOT_RUN = /^(?:notrun|disabled|skipped|ignored|suppressed|pending)$/iu

/** Status, attempts, message and trace of a case (contract §4.2); `where` is its place in the report. */
export function readOutcome(element: XmlElement, where: Where): Outcome {
  const { children } = element
  const flaky = children.filter(({ name }) => FLAKY.has(name))
  const reruns = children.filter(({ name }) => RERUN.has(name))
  const showsFailure = flaky.length + reruns.length > 0 || children.some(isFailure)
  return { attempts: 1 + flaky.length + reruns.length, showsFailure, ...readResult(element, where, { flaky, reruns }) }
}

/** Whether the element says that something failed: a case, or a suite around cases. */
export function isFailure({ name }: Pick<XmlElement, 'name'>): boolean {
  return name === 'failure' || name === 'error'
}

function readResult(
  { attributes, children }: XmlElement,
  where: Where,
  { flaky, reruns }: Record<'flaky' | 'reruns', readonly XmlElement[]>,
): Pick<Outcome, 'status' | 'message' | 'trace'> {
  const named = (name: string) => children.find((child) => child.name === name)
  const skipped = named('skipped')
  const failed = named('failure') ?? named('error')
  if (failed !== undefined && !mayFail(skipped)) {
    const status = failed.name === 'failure' ? 'RESULT_STATUS_FAILED' : 'RESULT_STATUS_ERROR'
    return { status, ...failureText(failed, where) }
  }
  if (flaky[0] !== undefined) return { status: 'RESULT_STATUS_FLAKY', ...failureText(flaky[0], where) }
  if (reruns[0] !== undefined) return { status: 'RESULT_STATUS_FAILED', ...failureText(reruns[0], where) }
  if (skipped !== undefined) {
    const { message, trace } = failureText(skipped, where)
    // Some tools write only "skipped" here and the reason below; node:test writes `true` when there is no reason.
    const reason = /^(?:skipped|true)$/iu.test(message) ? cutWithEllipsis(firstLine(trace), LONGEST_MESSAGE) : message
    return { status: 'RESULT_STATUS_SKIPPED', message: reason, trace: '' }
  }
  // GoogleTest and others report it in an attribute.
  const said = [attributes['status'] ?? '', attributes['result'] ?? '']
  if (said.some((value) => FAILED.test(value))) return { status: 'RESULT_STATUS_FAILED', message: '', trace: '' }
  const notRun = said.some((value) => NOT_RUN.test(value))
  return { status: notRun ? 'RESULT_STATUS_SKIPPED' : 'RESULT_STATUS_PASSED', message: '', trace: '' }
}

/** node:test and Catch2 report what is expected to fail as skipped, and beside it the failure. */
function mayFail(skipped: XmlElement | undefined): boolean {
  return skipped?.attributes['type'] === 'todo' || MAY_FAIL.test(skipped?.attributes['message'] ?? '')
}

/** The message and trace of a `<failure>`, `<error>` or the like. */
export function failureText(element: XmlElement, where: Where): { message: string; trace: string } {
  const stack = readChildren(element, where).find(({ name }) => name === 'stackTrace')
  const trace = plainText(decodeContent((stack ?? element).raw, LONGEST_TRACE * 2)).trim()
  const message = plainText(element.attributes['message'] ?? '', LONGEST_MESSAGE).trim()
  return { message: message === '' ? cutWithEllipsis(firstLine(trace), LONGEST_MESSAGE) : message, trace }
}
