import { randomBytes } from 'node:crypto'
import { isSpecType, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/server'
import { isObject, type JsonObject } from '../../lib/objects.ts'

/** What a client gives a request to know it by is repeated in each message about it, and those may wait to be read. */
const MOST_ID_CHARACTERS = 1024
export const ID_TOO_LONG = 'an id or a progress token is longer than 1,024 characters'

/** Whether the id or the progress token of a message, or of one of a batch, is too long. */
export function hasLongId(body: unknown): boolean {
  const messages: unknown[] = Array.isArray(body) ? body : [body]
  return messages.some((message) => {
    if (!isObject(message)) return false
    const { id, params } = message
    const meta = isObject(params) ? params['_meta'] : undefined
    return isLong(id) || (isObject(meta) && isLong(meta['progressToken']))
  })
}

function isLong(id: unknown): boolean {
  return typeof id === 'string' && id.length > MOST_ID_CHARACTERS
}

/** A name for this process in the ids of what it asks clients: any process may get the answer. */
export function newProcessName(): string {
  return randomBytes(9).toString('base64url')
}

/** A message to a client; the id of a request, also of one that is cancelled, begins with the name of its process. */
export function withSender(message: JSONRPCMessage, sender: string): JSONRPCMessage {
  if (!('method' in message)) return message
  if ('id' in message) return { ...message, id: `${sender}.${String(message.id)}` }
  const cancelled = cancelledRequest(message)
  if (typeof cancelled !== 'number') return message
  return { ...message, params: { ...message.params, requestId: `${sender}.${String(cancelled)}` } }
}

/** The process that waits for a client's answer, and the answer with the id that this process gave to its request. */
export interface Answer {
  to: string
  message: JsonObject
}

/** The message of a client if it answers a request of some process. */
export function readAnswer(message: unknown): Answer | undefined {
  if (!isObject(message) || 'method' in message || typeof message['id'] !== 'string') return undefined
  const { to, id } = /^(?<to>[\w-]+)\.(?<id>\d+)$/.exec(message['id'])?.groups ?? {}
  return to === undefined ? undefined : { to, message: { ...message, id: Number(id) } }
}

/** The id of the request that a message cancels: one that is not valid cancels nothing. */
export function cancelledRequest(message: unknown): RequestId | undefined {
  if (!isObject(message) || message['method'] !== 'notifications/cancelled') return undefined
  return isSpecType.CancelledNotification(message) ? message.params.requestId : undefined
}

/** An id that two of these requests have. */
export function repeatedId(messages: readonly unknown[]): unknown {
  const seen = new Set<unknown>()
  for (const message of messages) {
    const id = requestId(message)
    if (id !== undefined && seen.has(id)) return id
    seen.add(id)
  }
  return undefined
}

/** The id of a message that is a request. */
export function requestId(message: unknown): unknown {
  return isObject(message) && 'method' in message ? message['id'] : undefined
}
