import type { ServiceError } from '../errors.ts'
import { TeachingError } from '../mcp/result/teach.ts'

/** A failure in one line, with what to do where the failure knows it. */
export function toldOf(error: ServiceError): string {
  const lesson = error instanceof TeachingError ? error.lesson : {}
  const mend = lesson.hint ?? lesson.expected
  return mend === undefined ? error.message : `${error.message}; ${mend}`
}
