import { NOT_FROM_SERVICE, ServiceError } from '../../errors.ts'
import { noEvents } from '../../mcp/resolve/no-events.ts'
import { TeachingError, type Change, type Lesson } from '../../mcp/result/teach.ts'
import { plain } from './finding.ts'
import { quoted } from './own-command.ts'

/** A failure as one line, with the remedy if the failure has one. */
export function failureLine(error: ServiceError): string {
  const lesson: Lesson = error instanceof TeachingError ? error.lesson : {}
  // Whom to ask is for an agent.
  const hint = lesson.hint === noEvents ? lesson.expected : lesson.hint
  const fix = hint ?? (lesson.change && changedCommand(lesson.change)) ?? lesson.expected ?? remedy(error)
  const message = `${error.message}${wrongValue(error, lesson)}`
  return fix === undefined ? message : `${message}; ${fix}`
}

/** What was not found, in quotes: of several flags or settings a person has to know which one is wrong. */
function wrongValue({ code }: ServiceError, { sent = '' }: Lesson): string {
  const [, value] = /^\w+ = (.+)$/.exec(sent) ?? []
  return code !== 'not_found' || value === undefined ? '' : `: ${value}`
}

/** What the person who runs a command can do about a failure; undefined where its message says it, or nothing is known. */
export function remedy({ code, reason, metadata: { scope }, cause }: ServiceError): string | undefined {
  if (code === 'outcome_unknown') return 'look at the current state before you run the command again'
  if (reason === NOT_FROM_SERVICE) return 'check TRACEGATE_BASE_URL, and the proxy or firewall in front of the service'
  // A refusal in the words of a command is of a token that was typed.
  if (code === 'unauthenticated' && cause instanceof ServiceError) return undefined
  if (code === 'unauthenticated') return 'set TRACEGATE_API_TOKEN to a valid token of this service'
  if (code === 'permission_denied')
    return `use a token ${scope === undefined ? 'that may do this' : `with the scope ${scope}`}`
  return code === 'web_only' ? 'only a signed-in person can do this, in the web interface' : undefined
}

/** The flags of a command are named as the parameters of a call. */
function changedCommand(change: Change): string {
  if ('leaveOut' in change) return `the same command without --${change.leaveOut}`
  const flag = `--${change.add}`
  return `the same command with ${flag} NAME, such as ${flag} ${quoted(plain(change.value))}`
}
