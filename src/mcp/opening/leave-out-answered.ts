import type { Transport } from '@modelcontextprotocol/server'
import type { RequestId } from './read.ts'

/** Makes the transport leave out the first answer to each of these requests, because its client has one already. */
export function leaveOutAnswered(transport: Transport, answered: Set<RequestId>): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const isAnswer = 'id' in message && !('method' in message)
    if (isAnswer && message.id !== undefined && answered.delete(message.id)) return Promise.resolve()
    return send(message, options)
  }
}
