import { failures, NOT_FROM_SERVICE, type FailureCode, type ServiceError } from '../../errors.ts'

const askAgain = 'Ask the agent to prepare it again, and open the new link.'
const another = 'Use an API token of your own that can see the product and may do this.'
const tryAgain = 'Try again in a moment: the link is valid until its time.'

const byReason: Readonly<Record<string, string>> = {
  CONFIRMATION_NOT_SIGNED: `Check that the link or code was copied whole and is used with the server that made it. Or: ${askAgain.toLowerCase()}`,
  CONFIRMATION_USED: 'It may have been you: look at the current state before you decide again.',
  FOUR_EYES_REQUIRED: 'Give the link or code to another person, who confirms it with their own token before its time.',
  [NOT_FROM_SERVICE]: 'Tell the operator of this server: a proxy or firewall in front of the service has refused it.',
  PERSON_REQUIRED: 'Use an API token that was made for you, a person.',
  RISK_STATE_INVALID: 'Look at the quality gate: there is nothing to decide about this risk now.',
  // Of the terminal: the code was not used.
  STOPPED: 'To confirm it after all, run the command again with the same code before its time.',
  WRONG_KEY: 'Type it exactly as it is shown, and your token again.',
}

const byCode: Partial<Record<FailureCode, string>> = {
  confirmation_expired: `If it was confirmed in time, it is done. Otherwise: ${askAgain.toLowerCase()}`,
  aborted: `Nothing was written. If it should still be done: ${askAgain.toLowerCase()}`,
  unauthenticated: 'Check that the token was copied whole and is one of this service.',
  permission_denied: another,
  not_found: another,
  resource_exhausted: 'Wait a minute, then try again.',
}

/** Failures of the write itself, after which only a look at the state tells whether it was done. */
const open: readonly FailureCode[] = ['outcome_unknown', 'internal', 'upstream_shape_unknown']

/** Whether the call may have been done although it failed. */
export function mayBeWritten({ code }: ServiceError): boolean {
  return open.includes(code)
}

/** What a person can do about a confirmation that failed, in sentences. */
export function nextStep(error: ServiceError): string {
  const { reason, code } = error
  if (mayBeWritten(error)) return 'Look at the current state before you try again: it may have been written.'
  return byReason[reason] ?? byCode[code] ?? (failures[code].repeat === 'later' ? tryAgain : askAgain)
}

/**
 * Whether the same code can be confirmed after all: with another key or token, or in a moment. A write that failed so has
 * written nothing, or is the same when it is repeated.
 */
export function canRetry({ reason, code }: ServiceError): boolean {
  if (reason === 'WRONG_KEY' || reason === 'FOUR_EYES_REQUIRED' || failures[code].repeat === 'later') return true
  return code === 'unauthenticated' || code === 'permission_denied' || code === 'not_found'
}
