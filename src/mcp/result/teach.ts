import { failures, ServiceError, type FailureCode, type FailureDetails } from '../../errors.ts'
import { cutWithEllipsis } from '../../lib/text.ts'
import { clean, cutTo, inOneLine } from '../../lib/outside-text/clean.ts'
import { callText, withoutProduct, type NextAction } from './next-action.ts'

const ERROR_CHARACTERS = 600

/** What an error teaches in addition to its message (mcp §5). */
export interface Lesson {
  /** The parameter and the shape of its value, never its text where that may be an outsider's. */
  sent?: string
  /** What is valid. */
  expected?: string
  next?: NextAction
  /** What to do instead of a call, where the general hint of the failure says too little. */
  hint?: string
}

/** A failure that knows what the caller sent and what to call next. */
export class TeachingError extends ServiceError {
  readonly lesson: Lesson

  constructor(code: FailureCode, message: string, lesson: Lesson, details: FailureDetails = {}) {
    super(code, message, details)
    this.lesson = lesson
  }
}

/**
 * The text an agent reads for anything thrown, at most 600 characters. Only a `ServiceError` says what happened; anything
 * else is a bug and reveals nothing. The next call is named only when it is in the caller's list.
 */
export function errorText(error: unknown, list: { offers: (tool: string) => boolean; pinned: boolean }): string {
  if (!(error instanceof ServiceError)) return 'error: something broke inside Tracegate (internal, not retryable)'
  const failure = failures[error.code]
  const retry = failure.retryable ? retryWords(error.retryAfterSeconds) : 'not retryable'
  const lesson = error instanceof TeachingError ? error.lesson : {}
  const next = lesson.next !== undefined && list.offers(lesson.next.tool) ? lesson.next : undefined
  const expected =
    lesson.expected ??
    error.violations
      .map(({ field, description }) => (description === '' ? field : `${field}: ${description}`))
      .join('; ')
  const lines = [
    `error: ${oneLine(error.message)} (${failure.agent}${reasonWord(error)}, ${retry})`,
    lesson.sent && `you sent: ${oneLine(lesson.sent)}`,
    expected && `expected: ${oneLine(expected)}`,
    failureFacts(error),
    `next: ${next === undefined ? (lesson.hint ?? failure.hint) : callText(list.pinned ? withoutProduct(next) : next)}`,
  ].filter((line) => line !== undefined && line !== '')
  // The next step matters more than the end of a long list.
  const last = lines.pop() ?? ''
  const head = lines.join('\n')
  const characters = ERROR_CHARACTERS - last.length - 1
  return `${cutWithEllipsis(head, characters)}\n${last}`.slice(0, ERROR_CHARACTERS)
}

/** What the service names with a failure and the caller needs for the next step. */
function failureFacts({ code, metadata }: ServiceError): string | undefined {
  const { existing_id: existing, scope } = metadata
  if (code === 'already_exists' && existing !== undefined) return `existing: id ${oneLine(existing)}`
  return code === 'permission_denied' && scope !== undefined ? `needed: scope ${oneLine(scope)}` : undefined
}

function reasonWord(error: ServiceError): string {
  return error.code === 'failed_precondition' && error.reason !== 'FAILED_PRECONDITION'
    ? `: ${oneLine(error.reason)}`
    : ''
}

function retryWords(seconds: number | undefined): string {
  return seconds === undefined ? 'retry in a moment' : `retry after ${seconds} s`
}

function oneLine(text: string): string {
  return cutTo(inOneLine(clean(text).text), 400)
}

/** The shape of a value that was sent; short plain words are shown, because a slip in a name is the usual mistake. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return Array.isArray(value) ? `a list of ${value.length}` : 'an object'
  if (/^[0-9a-f]{32}$/i.test(value)) return '32 hex characters, which looks like an SDK event_id'
  return /^[\w .:@+-]{0,40}$/.test(value) ? JSON.stringify(value) : `a text of ${value.length} characters`
}
