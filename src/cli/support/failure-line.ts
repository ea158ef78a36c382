import type { ServiceError } from '../../errors.ts'
import { TeachingError } from '../../mcp/result/teach.ts'

/** A failure as one line, with the remedy if the failure has one. */
export function failureLine(error: ServiceError): string {
  const lesson = error instanceof TeachingError ? error.lesson : {}
  const fix = lesson.hint ?? lesson.expected
  return fix === undefined ? error.message : `${error.message}; ${fix}`
}
