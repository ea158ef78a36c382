import type { ServiceError } from '../../errors.ts'
import { TeachingError, type Change } from '../../mcp/result/teach.ts'
import { plain } from './finding.ts'
import { quoted } from './own-command.ts'

/** A failure as one line, with the remedy if the failure has one. */
export function failureLine(error: ServiceError): string {
  const lesson = error instanceof TeachingError ? error.lesson : {}
  const fix = lesson.hint ?? (lesson.change && changedCommand(lesson.change)) ?? lesson.expected
  return fix === undefined ? error.message : `${error.message}; ${fix}`
}

/** The flags of a command are named as the parameters of a call. */
function changedCommand(change: Change): string {
  if ('leaveOut' in change) return `the same command without --${change.leaveOut}`
  const flag = `--${change.add}`
  return `the same command with ${flag} NAME, such as ${flag} ${quoted(plain(change.value))}`
}
