import { failures, hintFor, ServiceError, type FailureCode, type FailureDetails } from '../../errors.ts'
import { cutWithEllipsis } from '../../lib/text.ts'
import { clean, cutTo, inOneLine } from '../../lib/outside-text/clean.ts'
import { findFlags } from '../../lib/outside-text/flags.ts'
import { isRepeatable } from '../text/team.ts'
import { callText, withoutProduct, type NextAction } from './next-action.ts'

const ERROR_CHARACTERS = 600

/** What an error teaches in addition to its message (mcp §5). */
export interface Lesson {
  /** The parameter and the shape of its value, never its text where that may be an outsider's. */
  sent?: string
  /** What is valid. */
  expected?: string
  /** The call to make; of several the first that the caller's list has. */
  next?: NextAction | readonly NextAction[]
  /** What to do instead of a call, where the general hint of the failure says too little. */
  hint?: string
  /** Instead of a hint: the parameter that the same call has to add or leave out. On the command line it is a flag. */
  change?: Change
  /** What a person is shown to decide: it follows the error, and is not counted in its characters. */
  attached?: string
}

export type Change = { add: string; value: string } | { leaveOut: string }

/** A failure that knows what the caller sent and what to call next. */
export class TeachingError extends ServiceError {
  readonly lesson: Lesson

  constructor(code: FailureCode, message: string, lesson: Lesson, details: FailureDetails = {}) {
    super(code, message, details)
    this.lesson = lesson
  }
}

/**
 * The text an agent reads for anything thrown, at most 600 characters and what is attached. Only a `ServiceError` says what happened; anything
 * else is a bug and reveals nothing. The next call is named only when it is in the caller's list.
 */
export function errorText(error: unknown, list: { offers: (tool: string) => boolean; pinned: boolean }): string {
  if (!(error instanceof ServiceError)) return 'error: something broke inside Tracegate (internal, not retryable)'
  const failure = failures[error.code]
  const lesson = error instanceof TeachingError ? error.lesson : {}
  const next = [lesson.next ?? []].flat().find(({ tool }) => list.offers(tool))
  const expected =
    lesson.expected ??
    error.violations
      .map(({ field, description }) => (description === '' ? field : `${field}: ${description}`))
      .join('; ')
  const lines = [
    `error: ${oneLine(error.message)} (${failure.agent}${reasonWord(error)}${retryWords(error)})`,
    lesson.sent && `you sent: ${oneLine(lesson.sent)}`,
    expected && `expected: ${oneLine(expected)}`,
    failureFacts(error),
    `next: ${next === undefined ? (lesson.hint ?? changeHint(lesson) ?? hintFor(error)) : callText(list.pinned ? withoutProduct(next) : next)}`,
  ].filter((line) => line !== undefined && line !== '')
  // The next step matters more than the end of a long list.
  const last = lines.pop() ?? ''
  const head = lines.join('\n')
  const characters = ERROR_CHARACTERS - last.length - 1
  const text = `${cutWithEllipsis(head, characters)}\n${last}`.slice(0, ERROR_CHARACTERS)
  return lesson.attached === undefined ? text : `${text}\n${lesson.attached}`
}

function changeHint({ change }: Lesson): string | undefined {
  if (change === undefined) return undefined
  if ('leaveOut' in change) return `The same call without ${change.leaveOut}.`
  return `The same call with ${change.add}, such as ${JSON.stringify({ [change.add]: change.value })}.`
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

/** Whether the same call helps later. Nothing where a corrected call works: the error says what to correct. */
function retryWords({ code, retryAfterSeconds: seconds }: ServiceError): string {
  const { repeat } = failures[code]
  if (repeat === 'corrected') return ''
  if (repeat === 'never') return ', not retryable'
  return seconds === undefined ? ', retry in a moment' : `, retry after ${seconds} s`
}

function oneLine(text: string): string {
  return cutTo(inOneLine(clean(text)), 400)
}

/** The value that was sent if it is short and harmless, because a slip in a name is the usual mistake; else its shape. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return Array.isArray(value) ? `a list of ${value.length}` : 'an object'
  if (/^[0-9a-f]{32}$/i.test(value)) return '32 hex characters, which looks like an SDK event_id'
  return isShowable(value) ? JSON.stringify(value) : `a text of ${value.length} characters`
}

const SHOWN_CHARACTERS = 40

/**
 * Whether an error may repeat the caller's text. The caller may have pasted it from an event: it is repeated only when it
 * has no room for much, is no path or address, opens no block, holds no secret and raises no flag.
 */
export function isShowable(text: string): boolean {
  if (text.length > SHOWN_CHARACTERS || /[\p{Cc}<>`/\\]/u.test(text) || !isRepeatable(text)) return false
  return Object.keys(findFlags(text)).length === 0
}
