import type { Api } from '../../client/api.ts'
import { ServiceError } from '../../errors.ts'
import type { Question, Tool } from '../define/define.ts'
import { asksForKey } from '../confirm/asking.ts'
import { readConfirmation, type Confirmation } from '../confirm/token.ts'
import { createListing, type ListedTool, type Listing, type Surface } from '../surface/listing.ts'
import { personLevel, tryTool, type CallFacts } from './call-tool.ts'
import type { CallOutcome } from './outcome.ts'
import { createRecentChanges } from './recent-changes.ts'

/** Where a person decides: everything that a call needs, with the client of whoever decides. */
export interface Deciding extends Omit<CallFacts, 'api' | 'changing'> {
  surface: Surface
}

/** What is decided on the page or in a terminal. */
export interface Pending {
  confirmation: Confirmation
  tool: Tool
  /** As it was when the person was asked; it is read again before anything is written. */
  question: Question
  /** What the person has to type; undefined where a choice is enough. */
  key: string | undefined
}

/**
 * Returns what a token asks, without any request. Throws `confirmation_expired`, or `confirmation_required` for a token that
 * this server did not sign.
 */
export function readPending(token: string, deciding: Deciding): Pending {
  const { confirmation, listed } = open(token, deciding)
  const { tool } = listed
  const { question } = confirmation
  const level = personLevel(tool, confirmation.args)
  return { confirmation, tool, question, key: asksForKey({ level }) ? question.key : undefined }
}

export interface Decision {
  token: string
  way: 'page' | 'terminal'
  /** What the person typed; compared at level 3 and 4. */
  typed: string
  /** The client of the person who decides, with their own token: they are recorded. */
  api: Api
  signal: AbortSignal
}

/**
 * Runs the call of a token after a person's decision, with the same checks as any confirmation. A refusal is the outcome's
 * `error`, and nothing was written then. Rejects only where `readPending` throws.
 */
export async function runConfirmed(
  { token, way, typed, api, signal }: Decision,
  deciding: Deciding,
): Promise<CallOutcome> {
  const { confirmation, listing, listed } = open(token, deciding)
  const options = { ...deciding.options, product: confirmation.product }
  const changing = { caller: '', recent: createRecentChanges() }
  const facts: CallFacts = { ...deciding, options, api: () => api, changing }
  const given = { way, token, typed }
  return tryTool(listed, confirmation.args, { listing, facts, signal, name: listed.tool.name, given })
}

/** The call of a token. The tool was in the list of the caller who was asked, whatever the list is here. */
function open(
  token: string,
  { surface, options, confirm: { secret, now } }: Deciding,
): { confirmation: Confirmation; listing: Listing; listed: ListedTool } {
  const confirmation = readConfirmation({ secret: secret(), now }, token)
  const { product } = confirmation
  const listing = createListing(surface, { ...options, toolsets: ['all'], product, local: true })
  const listed = listing.tools.find(({ tool }) => tool.name === confirmation.tool)
  if (listed === undefined) {
    throw new ServiceError(
      'failed_precondition',
      `this server does not offer ${confirmation.tool}: it may be read-only`,
    )
  }
  return { confirmation, listing, listed }
}
