import { decodeText } from '../../src/lib/text.ts'
import type { Send, WireReply, WireRequest } from '../../src/contract/base/wire.ts'
import { wholeBody } from './whole-body.ts'

/** One request with the answer to it. */
export interface Seen {
  method: string
  path: string
  /** Decoded, without the question mark: `status=resolved&pagination.page_size=5`. */
  query: string
  body: string
  status: number
  answer: string
}

export type Watched = Send & {
  /** Every request, in the order in which the answers came. */
  readonly log: Seen[]
}

/** The same deployment with a log of what it was asked and what it answered. */
export function watched(send: Send): Watched {
  const log: Seen[] = []
  async function watch(request: WireRequest): Promise<WireReply> {
    const body = await wholeBody(request.body)
    const reply = await send({ ...request, ...(request.body !== undefined && { body }) })
    const answer = await wholeBody(reply.body)
    const { pathname, search } = new URL(request.url)
    const query = new URLSearchParams(search).entries()
    log.push({
      method: request.method,
      path: pathname,
      query: [...query].map(([name, value]) => `${name}=${value}`).join('&'),
      body: decodeText(body),
      status: reply.status,
      answer: decodeText(answer),
    })
    return { ...reply, body: answer }
  }
  return Object.assign(watch, { log })
}
