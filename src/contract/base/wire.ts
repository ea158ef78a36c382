import { collectBytes } from '../../lib/bytes.ts'
import { decodeText } from '../../lib/text.ts'

/**
 * One request and one reply, reduced to what HTTP needs. The client sends it over undici or straight into the embedded
 * router; the node:http door turns sockets into it. Web `Request`/`Response` cost about a fifth of a call (decision 004).
 */
export interface WireRequest {
  method: string
  /** Absolute, so that the receiver knows the origin that the caller used. */
  url: string
  /** Lower-case names. */
  headers: Readonly<Record<string, string | undefined>>
  body?: AsyncIterable<Uint8Array> | Uint8Array
  signal?: AbortSignal
}

export interface WireReply {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array | AsyncIterable<Uint8Array>
}

export type Send = (request: WireRequest) => Promise<WireReply>

/** The whole body as text; only for replies that are known to be small. */
export async function replyText(reply: WireReply): Promise<string> {
  if (typeof reply.body === 'string') return reply.body
  const bytes = reply.body instanceof Uint8Array ? reply.body : await collectBytes(reply.body)
  return decodeText(bytes)
}
