import type { IncomingMessage } from 'node:http'

/** The body exceeds the limit. */
export class BodyTooLarge extends Error {}

/** The peer disconnected before the end of the body. */
export class BodyCutOff extends Error {}

/** Up to this multiple of the limit the body is still read: a peer that is cut off while sending never sees the response. */
const DRAINED = 4
/** Nesting depth of lists and objects; far less than what makes a recursive function overflow the stack. */
const DEEPEST = 100

/**
 * The body of a request as parsed JSON; rejects with `BodyTooLarge`, with `BodyCutOff`, or with a `SyntaxError` if it
 * is not JSON or nested too deeply.
 */
export async function readJsonBody(incoming: IncomingMessage, maxBytes: number): Promise<unknown> {
  const value: unknown = JSON.parse((await collect(incoming, maxBytes)).toString('utf8'))
  if (isDeeper(value, DEEPEST)) throw new SyntaxError(`nested more than ${String(DEEPEST)} levels deep`)
  return value
}

async function collect(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // The default iterator destroys the socket when it ends early, and with it the response.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      const part = chunk as Buffer
      bytes += part.byteLength
      if (bytes > maxBytes * DRAINED) break
      if (bytes <= maxBytes) chunks.push(part)
    }
  } catch (cause) {
    throw new BodyCutOff('the peer disconnected', { cause })
  }
  if (bytes > maxBytes) throw new BodyTooLarge()
  return Buffer.concat(chunks)
}

/** Iterates level by level, because deep nesting would overflow the stack of a recursive function. */
function isDeeper(value: unknown, depth: number): boolean {
  let level = [value].filter(isNode)
  for (let above = 0; above < depth && level.length > 0; above += 1) {
    level = level.flatMap((node) => Object.values(node).filter(isNode))
  }
  return level.length > 0
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
