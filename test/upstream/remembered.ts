import { replyText, type Send, type WireReply } from '../../src/contract/base/wire.ts'
import { decodeText } from '../../src/lib/text.ts'
import { wholeBody } from './whole-body.ts'

/**
 * The same deployment, which answers the same request always with its first answer: a write is done once, and what two
 * agents see can be compared. With `only: 'writes'` every read is sent.
 */
export function remembered(send: Send, { only }: { only?: 'writes' } = {}): Send {
  const replies = new Map<string, Promise<WireReply>>()
  return async (request) => {
    if (only === 'writes' && request.method === 'GET') return await send(request)
    const body = await wholeBody(request.body)
    const key = JSON.stringify([request.method, request.url, decodeText(body)])
    const { signal: _, ...wire } = request
    const reply = replies.get(key) ?? readWhole(send({ ...wire, body }))
    replies.set(key, reply)
    return await reply
  }
}

/**
 * The same deployment, which is asked each read once. `until: 'a write'` forgets the answers before and after each other
 * request.
 */
export function rememberedReads(send: Send, { until }: { until: 'a write' | 'the end' }): Send {
  const replies = new Map<string, Promise<WireReply>>()
  return async (request) => {
    if (request.method === 'GET') {
      const reply = replies.get(request.url) ?? readWhole(send(request))
      replies.set(request.url, reply)
      return reply
    }
    if (until === 'the end') return send(request)
    replies.clear()
    const reply = await send(request)
    replies.clear()
    return reply
  }
}

/** The reply with its body as text, which can be read more than once. */
async function readWhole(sent: Promise<WireReply>): Promise<WireReply> {
  const reply = await sent
  return { ...reply, body: await replyText(reply) }
}
