import type { IncomingMessage } from 'node:http'

/** The body is over the limit. */
export class BodyTooLarge extends Error {}

/** Past the limit a body is still read this many times over: a peer that is cut off while sending never sees the answer. */
const DRAINED = 4

/** The body of a request as parsed JSON; rejects with `BodyTooLarge`, or with a `SyntaxError` when it is no JSON. */
export async function readJsonBody(incoming: IncomingMessage, maxBytes: number): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  // The default iterator would end by destroying the socket, and with it the answer.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    const part = chunk as Buffer
    bytes += part.byteLength
    if (bytes > maxBytes * DRAINED) break
    if (bytes <= maxBytes) chunks.push(part)
  }
  if (bytes > maxBytes) throw new BodyTooLarge()
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
