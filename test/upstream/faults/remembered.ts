import { replyText, type Send, type WireReply } from '../../../src/contract/base/wire.ts'

/**
 * The same service, whose answers to reads of these paths are asked for once: the matrix reads what does not change
 * thousands of times.
 */
export function remembered(service: Send, paths: RegExp): Send {
  const answers = new Map<string, Promise<WireReply>>()
  return (request) => {
    const isKnown = request.method === 'GET' && paths.test(request.url)
    if (!isKnown || request.headers['authorization'] === undefined) return service(request)
    const answer = answers.get(request.url) ?? whole(service(request))
    answers.set(request.url, answer)
    return answer
  }
}

async function whole(answer: Promise<WireReply>): Promise<WireReply> {
  const { status, headers, body } = await answer
  return { status, headers, body: await replyText({ status, headers, body }) }
}
