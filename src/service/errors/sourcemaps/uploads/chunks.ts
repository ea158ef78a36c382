import type { WireRequest } from '../../../../contract/base/wire.ts'
import { ServiceError } from '../../../../errors.ts'

const CHUNK_BYTES = 256 * 1024
const IDLE_MS = 60_000

/**
 * The body in pieces, none large enough to keep the process busy. Throws `invalid_argument` when the sender hangs up or
 * sends nothing for `idleMs`.
 */
export async function* bodyChunks(body: WireRequest['body'], idleMs = IDLE_MS): AsyncGenerator<Uint8Array> {
  if (body === undefined) return
  if (body instanceof Uint8Array) return yield* sliced(body)
  for await (const chunk of whileSending(body, idleMs)) yield* sliced(chunk)
}

function* sliced(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES)
}

async function* whileSending(body: AsyncIterable<Uint8Array>, idleMs: number): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  let waiting = false
  try {
    for (;;) {
      waiting = true
      const next = await inTime(chunks.next(), idleMs)
      waiting = false
      if (next.done === true) return
      yield next.value
    }
  } finally {
    // Releases the socket for the reply; `return` of an iterator that is still waiting would wait as well.
    if (!waiting) await chunks.return?.()
  }
}

async function inTime<T>(next: Promise<T>, idleMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('nothing came')), idleMs)
  try {
    return await Promise.race([next, late])
  } catch (cause) {
    // A sender that hangs up is at fault itself; it is not a failure of the service.
    throw new ServiceError('invalid_argument', 'the body ended early; send it again', {
      reason: 'BODY_INCOMPLETE',
      cause,
    })
  } finally {
    clearTimeout(timer)
  }
}
