import { ServiceError, type FailureCode } from '../../../src/errors.ts'
import type { NextAction } from '../../../src/mcp/result/next-action.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'

/** Failures after which a write may have been done: no reply, a reply that cannot be read, or 5xx. */
const uncertain: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'outcome_unknown',
  'unavailable',
  'deadline_exceeded',
  'upstream_shape_unknown',
])

/** Whether a write that failed so may have been done all the same. */
export function mayBeDone(error: unknown): error is ServiceError {
  return error instanceof ServiceError && uncertain.has(error.code)
}

/** The failure of a write whose outcome no read of this call could tell: it names the call that does. */
export function unknownOutcome(
  error: ServiceError,
  check: { next?: NextAction | readonly NextAction[]; hint?: string },
): TeachingError {
  const message = `the outcome is unknown: ${error.message}; check before you repeat it`
  return new TeachingError('outcome_unknown', message, check, { reason: error.reason, cause: error })
}

/** For `catch` of a preview: it writes nothing, so a failure never leaves an outcome open. */
export function previewFailed(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'outcome_unknown') throw error
  throw new ServiceError('unavailable', 'the preview failed, and nothing was written', { cause: error })
}

/** The result of a read after a write; undefined where it fails, because the write is done all the same. */
export async function ifReadable<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}
