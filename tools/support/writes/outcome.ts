import { failures, NOT_SENT, ServiceError } from '../../../src/errors.ts'
import type { NextAction } from '../../../src/mcp/result/next-action.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'

/**
 * Whether a write that is sent once failed without telling whether it was done: no reply, 5xx, or a reply that cannot be
 * read. The client says so; anything else, such as a connection that was refused, changed nothing.
 */
export function isLost(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'outcome_unknown'
}

/** The same for a write that the client repeats: an attempt before the last one may have been done. */
export function mayBeDone(error: unknown): error is ServiceError {
  if (isUnsent(error)) return false
  return isLost(error) || (error instanceof ServiceError && error.code === 'unavailable')
}

/** Whether the time of the call was over before the request was first sent. */
function isUnsent(error: unknown): boolean {
  return error instanceof ServiceError && error.reason === NOT_SENT
}

/** A failure in a row of a result: its code, and the sentence of our own errors. Rethrows anything but a `ServiceError`. */
export function failureWords(error: unknown): string {
  if (!(error instanceof ServiceError)) throw error
  if (isUnsent(error)) return 'not sent: no time was left'
  const { agent } = failures[error.code]
  return error instanceof TeachingError ? `${agent}: ${error.message}` : agent
}

/** The failure of a write whose outcome is still unknown after the reads of this call. It names the call that checks. */
export function unknownOutcome(
  error: ServiceError,
  check: { next?: NextAction | readonly NextAction[]; hint?: string },
): TeachingError {
  // Here the message itself says what is known.
  const what = error.reason === 'ANSWER_UNREADABLE' ? '' : 'the outcome is unknown: '
  const message = `${what}${error.message}; check before you repeat it`
  return new TeachingError('outcome_unknown', message, check, { reason: error.reason, cause: error })
}

/** For an answer with rows whose outcome is unknown. */
export const UNKNOWN_ROWS = 'Unknown: it may be done; check before you repeat it.'

/** For the answer when a read has shown that the write was done. */
export const READ_BACK = " The deployment's reply cannot be read; read again, it is done."

/** The result of a read on which the outcome of the call does not depend; undefined if it fails. */
export async function ifReadable<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}
