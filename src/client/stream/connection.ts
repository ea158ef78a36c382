import type { WireReply } from '../../contract/base/wire.ts'
import { ServiceError } from '../../errors.ts'
import { isPendingAfter, type Clock } from '../../lib/clock.ts'
import type { Capabilities } from '../capabilities/capabilities.ts'
import type { StreamEndpoint } from './item.ts'
import { streamParts, type StreamPart } from './parts.ts'
import type { Item } from './place.ts'

/** The service sends something every 15 seconds. */
const SILENCE_MS = 45_000

/** What each connection of a call needs. */
export interface Connecting {
  endpoint: StreamEndpoint
  request: Item
  /** The caller's. */
  signal: AbortSignal | undefined
  capabilities: Capabilities
  /** Sends a request for the items after a number; rejects for any reply that is not a success. */
  send(this: void, request: Item, after: number | undefined, signal: AbortSignal): Promise<WireReply>
  clock: Clock
}

export interface Connection {
  parts: AsyncGenerator<StreamPart, void>
  close(this: void): void
}

/** Connects for what comes after a number; undefined when the service says that nothing does. */
export async function openConnection(call: Connecting, after: number | undefined): Promise<Connection | undefined> {
  const ending = new AbortController()
  const { signal } = call
  const end = () => ending.abort()
  signal?.addEventListener('abort', end)
  let parts: Connection['parts'] | undefined
  const close = () => {
    signal?.removeEventListener('abort', end)
    end()
    // What the body ends with after the abort says nothing more.
    void parts?.return().catch(() => undefined)
  }
  try {
    const { status, headers, body } = await ask(call, after, ending.signal)
    if (status !== 204) {
      parts = streamParts(unlessSilent(chunks(body), call.clock), headers['content-type'])
      return { parts, close }
    }
  } catch (error) {
    close()
    throw error
  }
  close()
  return undefined
}

/**
 * Asks for the items after a number. A deployment that refuses the parameters that only we have is asked without them: it
 * replays the stream from its beginning, and what was seen is skipped.
 */
async function ask(
  { endpoint, request, capabilities, send }: Connecting,
  after: number | undefined,
  signal: AbortSignal,
): Promise<WireReply> {
  const { path, stream } = endpoint
  const { [stream.resume]: _, [stream.heartbeat]: heartbeat, ...bare } = request
  const isRefused = capabilities.state(path, stream.resume) === 'refused'
  if ((after === undefined && heartbeat === undefined) || isRefused) return send(bare, after, signal)
  try {
    return await send({ ...bare, [stream.resume]: after, [stream.heartbeat]: heartbeat }, after, signal)
  } catch (refusal) {
    const isDoubtful = refusal instanceof ServiceError && refusal.code === 'invalid_argument'
    if (!isDoubtful || capabilities.isComplete) throw refusal
    const reply = await send(bare, after, signal)
    capabilities.note(path, stream.resume, 'refused')
    return reply
  }
}

async function* chunks(body: WireReply['body']): AsyncGenerator<Uint8Array, void> {
  if (typeof body === 'string') yield Buffer.from(body)
  else if (body instanceof Uint8Array) yield body
  else yield* body
}

/** The chunks of a body until none comes for too long: the connection looks open then, but may be dead. */
async function* unlessSilent(body: AsyncGenerator<Uint8Array, void>, clock: Clock): AsyncGenerator<Uint8Array, void> {
  try {
    for (;;) {
      const next = body.next()
      if (await isPendingAfter(next, SILENCE_MS, clock)) throw broken('STREAM_SILENT')
      const { done, value } = await next
      if (done === true) return
      yield value
    }
  } finally {
    void body.return().catch(() => undefined)
  }
}

/** Why a connection is over that has not failed by itself, as the code of a network error. */
export function broken(code: 'STREAM_SILENT' | 'STREAM_ENDED' | 'ITEMS_MISSING'): Error {
  return Object.assign(new Error('the stream broke off'), { code })
}
