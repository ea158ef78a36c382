import { cutWithEllipsis } from '../../../../lib/text.ts'
import { firstLine, LONGEST_MESSAGE, LONGEST_TRACE, plainText } from '../model/text.ts'
import type { ReportCase } from '../model/report.ts'
import { readChildren, decodeContent, type JunitElement } from './element.ts'

/** The result that a `<testcase>` reports. */
export interface Outcome {
  status: ReportCase['status']
  attempts: number
  message: string
  trace: string
}

// Surefire writes the earlier attempts of a case next to its last one; Playwright, Gradle and nextest do the same.
const FLAKY = new Set(['flakyFailure', 'flakyError'])
const RERUN = new Set(['rerunFailure', 'rerunError'])
const NOT_RUN = /^(?:notrun|disabled|skipped|ignored|suppressed|pending)$/iu

/** Status, attempts, message and trace of a case (contract §4.2); `line` is its line in the report. */
export function readOutcome({ attributes, children }: JunitElement, line: number): Outcome {
  const named = (name: string) => children.find((child) => child.name === name)
  const flaky = children.filter(({ name }) => FLAKY.has(name))
  const attempts = 1 + flaky.length + children.filter(({ name }) => RERUN.has(name)).length
  const failure = named('failure')
  const error = named('error')
  const skipped = named('skipped')
  // node:test reports a todo case as skipped and, when it fails, also as failed.
  const isToDo = skipped?.attributes['type'] === 'todo'
  if (!isToDo && failure !== undefined)
    return { status: 'RESULT_STATUS_FAILED', attempts, ...failureText(failure, line) }
  if (!isToDo && error !== undefined) return { status: 'RESULT_STATUS_ERROR', attempts, ...failureText(error, line) }
  const first = flaky[0]
  if (first !== undefined) return { status: 'RESULT_STATUS_FLAKY', attempts, ...failureText(first, line) }
  if (skipped !== undefined) {
    const { message, trace } = failureText(skipped, line)
    // Some tools write only "skipped" here and the reason below; node:test writes `true` when there is no reason.
    const reason = /^(?:skipped|true)$/iu.test(message) ? cutWithEllipsis(firstLine(trace), LONGEST_MESSAGE) : message
    return { status: 'RESULT_STATUS_SKIPPED', attempts, message: reason, trace: '' }
  }
  // GoogleTest and others report it in an attribute.
  const notRun = [attributes['status'], attributes['result']].some((value) => NOT_RUN.test(value ?? ''))
  return { status: notRun ? 'RESULT_STATUS_SKIPPED' : 'RESULT_STATUS_PASSED', attempts, message: '', trace: '' }
}

function failureText(element: JunitElement, line: number): { message: string; trace: string } {
  const stack = readChildren(element, line).find(({ name }) => name === 'stackTrace')
  const trace = plainText(decodeContent((stack ?? element).raw, LONGEST_TRACE * 2)).trim()
  const message = plainText(element.attributes['message'] ?? '', LONGEST_MESSAGE).trim()
  return { message: message === '' ? cutWithEllipsis(firstLine(trace), LONGEST_MESSAGE) : message, trace }
}
