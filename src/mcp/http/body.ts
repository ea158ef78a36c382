import type { IncomingMessage } from 'node:http'
import { IntakeError, type Hold } from '../../lib/intake.ts'

/** The body exceeds the limit. */
export class BodyTooLarge extends Error {}

/** The peer disconnected before the end of the body. */
export class BodyCutOff extends Error {}

/** Up to this multiple of the limit the body is still read: a peer that is cut off while sending never sees the response. */
const DRAINED = 4
/** Nesting depth of lists and objects; far less than what makes a recursive function overflow the stack. */
const DEEPEST = 100

/**
 * The body of a request as parsed JSON; rejects with `BodyTooLarge`, with `BodyCutOff`, with an `IntakeError`, or with a
 * `SyntaxError` if it is not JSON or nested too deeply.
 */
export async function readJsonBody(incoming: IncomingMessage, maxBytes: number, hold: Hold): Promise<unknown> {
  const value: unknown = JSON.parse((await collect(incoming, maxBytes, hold)).toString('utf8'))
  if (isDeeper(value, DEEPEST)) throw new SyntaxError(`nested more than ${String(DEEPEST)} levels deep`)
  return value
}

async function collect(incoming: IncomingMessage, maxBytes: number, hold: Hold): Promise<Buffer> {
  try {
    const body = await hold.collect(limited(incoming, maxBytes), maxBytes)
    if (body !== undefined) return body
  } catch (cause) {
    if (cause instanceof BodyTooLarge || cause instanceof IntakeError) throw cause
    throw new BodyCutOff('the peer disconnected', { cause })
  }
  throw new BodyTooLarge()
}

/** The chunks up to the limit; what exceeds it is read and dropped. */
async function* limited(incoming: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  // The default iterator destroys the socket when it ends early, and with it the response.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > maxBytes * DRAINED) break
    if (bytes <= maxBytes) yield chunk
  }
  if (bytes > maxBytes) throw new BodyTooLarge()
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
