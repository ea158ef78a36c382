import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '../../errors.ts'
import type { Confirmed, Question, Way } from '../define/define.ts'
import { TeachingError } from '../result/teach.ts'
import { teamText } from '../text/team.ts'
import { refusal } from './ask.ts'
import { asksForKey, isAllowed, type Asking } from './asking.ts'
import { isConfirmed, typedText, type FormAnswer } from './form.ts'
import { WAIT_MS } from './options.ts'
import { asShown } from './preview.ts'
import { plainArguments, prepare, previewWithWays } from './prepare.ts'
import { principalHash, readConfirmation, type Confirmation } from './token.ts'
import { usedHere } from './used.ts'

/** A confirmation that came with a call, not yet checked: everything in it may be forged. */
export type Given = { token: string } & (
  | { way: 'form'; answer: FormAnswer }
  | { way: 'handle' }
  | { way: 'page' | 'terminal'; typed: string }
)

/**
 * Checks a confirmation against the call that it came with, and uses it up. Throws with the reason why it does not count;
 * nothing was written then. The question is read again, because what was shown must still be true.
 */
export async function checkConfirmation(asking: Asking, given: Given): Promise<Confirmed> {
  const { tool, args, context } = asking
  const confirmation = await readGiven(asking, given)
  requireSameCall(asking, confirmation, given.way)
  if (!isAllowed(given.way, asking))
    throw unusable(`this call cannot be confirmed by a ${given.way}`, 'WAY_NOT_ALLOWED')
  const { used: known = usedHere } = asking.options
  if (await known.has(confirmation.nonce)) throw usedBefore()
  if (given.way === 'form' && !isConfirmed(given.answer)) {
    await take(asking, confirmation)
    throw await notConfirmed(asking, given.answer)
  }
  const asked = await tool.confirm?.(args, context)
  if (asked === undefined) throw refusal(tool)
  const question = asShown(asked)
  if (question.state !== confirmation.question.state) throw changed(confirmation.question, question)
  if (asksForKey(asking) && given.way !== 'handle') await requireTyped(asking, given, confirmation, question)
  await take(asking, confirmation)
  return { way: given.way, nonce: confirmation.nonce }
}

/** What the token carries. Throws what the caller can do where it does not count; a late form is told the other ways. */
async function readGiven(asking: Asking, { token, way }: Given): Promise<Confirmation> {
  const { secret, now } = asking.options
  try {
    return readConfirmation({ secret: secret(), now }, token)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'confirmation_required') throw unusable(error.message, error.reason)
    if (way === 'form')
      throw await withWays(asking, 'confirmation_expired', 'the answer came more than five minutes after the question')
    throw new ServiceError(error.code, `${error.message}; nothing was written`, { cause: error })
  }
}

function requireSameCall({ tool, args, context, caller }: Asking, confirmation: Confirmation, way: Way): void {
  if (confirmation.tool !== tool.name) throw unusable('this confirmation is for another tool', 'OTHER_TOOL')
  if (!isDeepStrictEqual(confirmation.args, plainArguments(args))) {
    throw unusable('the arguments are not the ones that were shown', 'OTHER_ARGUMENTS')
  }
  if (confirmation.product !== context.options.product) {
    throw unusable('this confirmation is for another product', 'OTHER_PRODUCT')
  }
  // On the page and in a terminal it is the decision of whoever signs it with their own token.
  const isOwn = way === 'page' || way === 'terminal' || confirmation.principal === principalHash(caller)
  if (!isOwn) throw unusable('this confirmation was prepared for another caller', 'OTHER_CALLER')
}

async function requireTyped(
  asking: Asking,
  given: Exclude<Given, { way: 'handle' }>,
  confirmation: Confirmation,
  { key }: Question,
): Promise<void> {
  const typed = given.way === 'form' ? typedText(given.answer) : given.typed
  if (typed.trim().normalize('NFC') === key.trim().normalize('NFC')) return
  const message = `what was typed is not ${teamText(key)}`
  // On the page and in a terminal the person can correct it.
  if (given.way !== 'form') throw declined(message, 'WRONG_KEY')
  await take(asking, confirmation)
  throw await withWays(asking, 'declined', `not confirmed: ${message}`, 'WRONG_KEY')
}

function declined(message: string, reason: string): ServiceError {
  return new ServiceError('declined', `${message}; nothing was written`, { reason })
}

function unusable(message: string, reason: string): TeachingError {
  const hint = 'call again without confirmation, and show the user the preview'
  return new TeachingError('confirmation_required', `${message}; nothing was written`, { hint }, { reason })
}

/** The failure of a confirmation that was used, perhaps by a write that was done. */
export function usedBefore(): ServiceError {
  const message = 'this confirmation was used before; nothing was written this time'
  return new ServiceError('confirmation_expired', message, { reason: 'CONFIRMATION_USED' })
}

async function take({ options }: Asking, { nonce, expiresAt }: Confirmation): Promise<void> {
  const { now = Date.now, used: known = usedHere } = options
  if (!(await known.take(nonce, expiresAt, now()))) throw usedBefore()
}

/** Says which facts are not as they were shown. */
function changed(shown: Question, now: Question): TeachingError {
  const before = new Map(shown.facts.map(({ label, value }) => [label, value]))
  const difference = now.facts
    .filter(({ label, value }) => before.get(label) !== value)
    .map(({ label, value }) => `${label} was ${teamText(before.get(label) ?? 'not there')}, is ${teamText(value)}`)
  return shownHasChanged(difference.join('; ') || 'the state that was shown, which was changed in the meantime')
}

/** The failure where the question is not the one that the person was asked any more. */
export function shownHasChanged(expected: string): TeachingError {
  return new TeachingError('aborted', 'what the person was shown has changed; nothing was written', {
    expected,
    hint: 'call again without confirmation, so that the person sees the new state',
  })
}

/** An answer that is no yes: the same words for all of them, since a client may answer without showing anything. */
function notConfirmed(asking: Asking, { action }: FormAnswer): Promise<TeachingError> {
  const what = {
    accept: 'the form came back without a yes',
    decline: 'the client answered no',
    cancel: 'the form was closed',
    failed: 'the client returned no answer',
    none: `no answer came within ${String((asking.options.waitMs ?? WAIT_MS) / 1000)} s`,
  }[action]
  return withWays(asking, 'declined', `not confirmed – declined, or never shown: ${what}`, 'NOT_CONFIRMED')
}

/** The failure with a new preview and the ways that are left, but no handle: the agent must not decide it. */
async function withWays(
  asking: Asking,
  code: 'declined' | 'confirmation_expired',
  message: string,
  reason?: string,
): Promise<TeachingError> {
  const prepared = await prepare(asking)
  const lesson = {
    hint: 'tell the user; if they saw no dialog, they can confirm it in the ways below, you cannot',
    ...(prepared && { attached: await previewWithWays(asking, prepared, { withHandle: false }) }),
  }
  return new TeachingError(code, `${message}; nothing was written`, lesson, reason === undefined ? {} : { reason })
}
