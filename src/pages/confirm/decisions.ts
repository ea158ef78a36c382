import type { Api } from '../../client/api.ts'
import { NOT_FROM_SERVICE, ServiceError, type FailureCode } from '../../errors.ts'
import { readPending, runConfirmed, type Deciding, type Pending } from '../../mcp/call/run-confirmed.ts'
import { usedBefore } from '../../mcp/confirm/check.ts'
import { usedHere, type UsedConfirmations } from '../../mcp/confirm/used.ts'
import { ifOffered } from '../../mcp/resolve/offered.ts'
import { plainMessage } from '../support/plain-words.ts'
import { canRetry, mayBeWritten } from './next-step.ts'
import { createOutcomes } from './outcomes.ts'

/** What the page and the terminal do with a code. Both functions reject with a `ServiceError` that says why not. */
export interface Decisions {
  /**
   * What a code asks. It carries all of it, so this reads only whether it was used, and shows nothing that its holder does
   * not have.
   */
  open(code: string): Promise<Pending>
  /**
   * Runs the call of a code with the person's own token; rejects with nothing written when anything is not as shown. The
   * same code with the same token and key, such as from a second click, gets the outcome of the first.
   */
  confirm(code: string, by: Person): Promise<Written>
}

/** Who decides, and where. */
export interface Person {
  /** Typed by the person, for this decision. */
  token: string
  /** The key that the person typed; empty where none is asked for. */
  typed: string
  way: 'page' | 'terminal'
}

export interface Written {
  /** What was asked. */
  question: Pending['question']
  /** The answer of the call, in a sentence. */
  answer: string
  /** Who was recorded; undefined where the deployment does not say it. */
  recorded: string | undefined
}

/** What comes of a decision once and for all: it was written, or it failed with its confirmation used up. */
type Outcome = Written | { failed: unknown }

/** Longer than any call takes (mcp §5). */
const timeoutMs = 60_000

/** `apiFor` makes a client with the person's token, without the mark of a tool's calls: the person decides. */
export function createDecisions(deciding: Deciding, apiFor: (token: string) => Api | Promise<Api>): Decisions {
  const { used = usedHere } = deciding.confirm
  const once = createOutcomes<Outcome>()
  return {
    async open(code) {
      const pending = readPending(code, deciding)
      if (await used.has(pending.confirmation.nonce)) throw usedBefore()
      return pending
    },
    async confirm(code, by) {
      const outcome = await once([code, by.token, by.typed], () => decide(code, by))
      if ('failed' in outcome) throw outcome.failed
      return outcome
    },
  }

  async function decide(code: string, { token, typed, way }: Person): Promise<Outcome> {
    const { confirmation, question } = readPending(code, deciding)
    const signal = AbortSignal.timeout(timeoutMs)
    const api = await apiFor(token)
    const recorded = await readPerson(api, signal).catch((error: unknown) => {
      throw forPerson(unwritten(error))
    })
    const own = rememberTaking(used)
    const confirm = { ...deciding.confirm, used: own.used }
    const decision = { token: code, way, typed, api, signal }
    const { error, text, structuredContent } = await runConfirmed(decision, { ...deciding, confirm })
    if (error !== undefined) {
      if (!own.isTaken()) throw forPerson(unwritten(error))
      if (!(error instanceof ServiceError && canRetry(error))) return { failed: forPerson(error) }
      await used.giveBack(confirmation.nonce)
      throw forPerson(error)
    }
    return { question, answer: sentence(structuredContent?.['answer']) ?? text, recorded }
  }
}

/** Says whether it was this decision that took its confirmation: another person may be confirming it at this moment. */
function rememberTaking(used: UsedConfirmations): { used: UsedConfirmations; isTaken: () => boolean } {
  let isTaken = false
  const take: UsedConfirmations['take'] = async (...facts) => {
    isTaken = await used.take(...facts)
    return isTaken
  }
  return { used: { ...used, take }, isTaken: () => isTaken }
}

/** The owner of a token as the service names them. Rejects a token that is not a person's. */
async function readPerson(api: Api, signal: AbortSignal): Promise<string | undefined> {
  const me = await ifOffered(api.getMe({}, { signal }))
  const kind = me?.token?.kind
  if (kind === 'agent' || kind === 'ci') {
    const whose = kind === 'ci' ? 'a CI system' : 'an agent'
    throw new ServiceError('permission_denied', `this token was made for ${whose}; nothing was written`, {
      reason: 'PERSON_REQUIRED',
    })
  }
  const user = me?.user
  return user && [user.display_name, `(user ${user.id})`].filter(Boolean).join(' ')
}

const inPersonsWords: Partial<Record<FailureCode, string>> = {
  unauthenticated: 'this token is not valid here',
  not_found: 'your token does not see what this is about, or it was deleted',
}

/** A failure of a request in the words of whoever typed the token. */
function forPerson(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error
  const { code, reason, message } = error
  // A page of a proxy says nothing of their token.
  const words = (reason === NOT_FROM_SERVICE ? undefined : inPersonsWords[code]) ?? plainMessage(error)
  if (words === message) return error
  return new ServiceError(code, mayBeWritten(error) ? words : `${words}; nothing was written`, { reason, cause: error })
}

/** A failure before the write began, which would mean that it may have been done. */
function unwritten(error: unknown): unknown {
  if (!(error instanceof ServiceError) || !mayBeWritten(error)) return error
  const message = 'the service did not answer as it should; nothing was written'
  return new ServiceError('unavailable', message, { cause: error })
}

function sentence(answer: unknown): string | undefined {
  return typeof answer === 'string' ? answer : undefined
}
