import { replyText, type Send, type WireReply, type WireRequest } from '../../src/contract/base/wire.ts'
import { collectBytes } from '../../src/lib/bytes.ts'
import { decodeText } from '../../src/lib/text.ts'

/**
 * The same deployment, which answers the same request always with its first answer: a write is done once, and what two
 * agents see can be compared.
 */
export function remembered(send: Send): Send {
  const replies = new Map<string, Promise<WireReply>>()
  return async (request) => {
    const body = await wholeBody(request)
    const key = JSON.stringify([request.method, request.url, decodeText(body)])
    const { signal: _, ...wire } = request
    const reply = replies.get(key) ?? readWhole(send, { ...wire, body })
    replies.set(key, reply)
    return await reply
  }
}

async function wholeBody({ body = new Uint8Array() }: WireRequest): Promise<Uint8Array> {
  return body instanceof Uint8Array ? body : await collectBytes(body)
}

async function readWhole(send: Send, request: WireRequest): Promise<WireReply> {
  const reply = await send(request)
  return { ...reply, body: await replyText(reply) }
}
