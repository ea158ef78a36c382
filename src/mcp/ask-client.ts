import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type ClientCapabilities,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { systemClock, type Clock } from '../lib/clock.ts'
import type { Asked } from './confirm/ask.ts'
import type { Given } from './confirm/check.ts'
import { readAnswer, type FormAnswer, type FormKind } from './confirm/form.ts'
import { WAIT_MS, type ConfirmOptions } from './confirm/options.ts'

/** The name of the one question in a round trip. */
const CONFIRM = 'confirm'
/** The first revision whose forms have titled choices. */
const TITLED_SINCE = '2025-11-25'
/** The first revision in which a server asks by its result, and the client repeats the call. */
const ROUND_TRIPS_SINCE = '2026-07-28'

type Request = ServerContext['mcpReq']

/** How this request's client shows a form; undefined where it did not say that it can. */
export function formKind({ server }: McpServer, { envelope }: Request): FormKind | undefined {
  const version = server.getNegotiatedProtocolVersion() ?? ''
  const isModern = version >= ROUND_TRIPS_SINCE
  const capabilities = isModern
    ? (envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
    : server.getClientCapabilities()
  const { elicitation } = capabilities ?? {}
  // A client that names no mode has forms; only pages to open are no form.
  if (elicitation === undefined || (elicitation.form === undefined && elicitation.url !== undefined)) return undefined
  return version >= TITLED_SINCE ? 'titled' : 'named'
}

/** The answer that the client sends when it repeats a call after it was asked a question. */
export function returned({ requestState, inputResponses }: Request): Given | undefined {
  const token = requestState<unknown>()
  if (token === undefined && inputResponses === undefined) return undefined
  const answer = readAnswer((inputResponses as Record<string, unknown> | undefined)?.[CONFIRM])
  return { way: 'form', token: typeof token === 'string' ? token : '', answer }
}

/** Whether the client repeats calls; an older one is sent a request while its call is held open. */
export function repeatsCalls({ server }: McpServer): boolean {
  return (server.getNegotiatedProtocolVersion() ?? '') >= ROUND_TRIPS_SINCE
}

/** The result that makes the client ask its user, and then repeat the call. */
export function roundTrip({ form, token }: Asked): InputRequiredResult {
  return inputRequired({ inputRequests: { [CONFIRM]: inputRequired.elicit(form) }, requestState: token })
}

/**
 * Sends the form to a client of the 2025 revisions and resolves to the answer. After the deadline the request is
 * cancelled, and an answer that comes later is for nothing. Never rejects, unless the call itself is cancelled.
 */
export async function askWithinCall(
  { send, signal }: Request,
  { form }: Asked,
  { waitMs = WAIT_MS }: ConfirmOptions,
  clock: Clock = systemClock,
): Promise<FormAnswer> {
  const deadline = new AbortController()
  const stop = clock.after(waitMs, () => deadline.abort(new Error('no answer in time')))
  try {
    const params = { mode: 'form' as const, ...form }
    const options = {
      signal: AbortSignal.any([signal, deadline.signal]),
      // The deadline is ours: the SDK's own would end a call without the preview.
      timeout: waitMs * 2,
    }
    return readAnswer(await send({ method: 'elicitation/create', params }, options))
  } catch (error) {
    if (signal.aborted) throw error
    return { action: deadline.signal.aborted ? 'none' : 'failed' }
  } finally {
    stop()
  }
}
