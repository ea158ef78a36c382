import { replyText, type Send, type WireReply } from '../../../src/contract/base/wire.ts'

/**
 * The same service, whose answers to reads are asked for once, because the matrix reads the same thousands of times.
 * `until: 'a write'` forgets them before and after each other request.
 */
export function remembered(service: Send, { until }: { until: 'a write' | 'the end' }): Send {
  const answers = new Map<string, Promise<WireReply>>()
  return async (request) => {
    if (request.method === 'GET') {
      const answer = answers.get(request.url) ?? whole(service(request))
      answers.set(request.url, answer)
      return answer
    }
    if (until === 'the end') return service(request)
    answers.clear()
    const reply = await service(request)
    answers.clear()
    return reply
  }
}

async function whole(answer: Promise<WireReply>): Promise<WireReply> {
  const { status, headers, body } = await answer
  return { status, headers, body: await replyText({ status, headers, body }) }
}
