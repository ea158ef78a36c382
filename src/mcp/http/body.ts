import type { IncomingMessage } from 'node:http'

/** The body is over the limit. */
export class BodyTooLarge extends Error {}

/** The peer hung up before the body's end. */
export class BodyCutOff extends Error {}

/** Past the limit a body is still read this many times over: a peer that is cut off while sending never sees the answer. */
const DRAINED = 4
/** Lists and objects within each other; far fewer than what makes a function run out of stack that calls itself. */
const DEEPEST = 100

/**
 * The body of a request as parsed JSON; rejects with `BodyTooLarge`, with `BodyCutOff`, or with a `SyntaxError` when it
 * is no JSON or nested too deep.
 */
export async function readJsonBody(incoming: IncomingMessage, maxBytes: number): Promise<unknown> {
  const value: unknown = JSON.parse((await collect(incoming, maxBytes)).toString('utf8'))
  if (isDeeper(value, DEEPEST)) throw new SyntaxError(`nested more than ${String(DEEPEST)} deep`)
  return value
}

async function collect(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // The default iterator would end by destroying the socket, and with it the answer.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      const part = chunk as Buffer
      bytes += part.byteLength
      if (bytes > maxBytes * DRAINED) break
      if (bytes <= maxBytes) chunks.push(part)
    }
  } catch (cause) {
    throw new BodyCutOff('the peer hung up', { cause })
  }
  if (bytes > maxBytes) throw new BodyTooLarge()
  return Buffer.concat(chunks)
}

/** Level by level, because going down by calling itself is what deep nesting would break. */
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
