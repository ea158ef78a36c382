import type { WireReply } from '../../contract/base/wire.ts'
import { isPendingAfter, type Clock } from '../../lib/clock.ts'
import type { Capabilities } from '../capabilities/capabilities.ts'
import { isRefusal } from '../capabilities/parameters.ts'
import type { StreamEndpoint } from './item.ts'
import { streamParts, type StreamPart } from './parts.ts'
import type { Item } from './place.ts'

/** Three times the interval at which the service sends pings. */
const SILENCE_MS = 45_000

/** What a call needs to connect. */
export interface Connecting {
  endpoint: StreamEndpoint
  request: Item
  /** The caller's signal. */
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

/** Connects for the items after a number; undefined when the service says that none follow. */
export async function openConnection(call: Connecting, after: number | undefined): Promise<Connection | undefined> {
  const ending = new AbortController()
  const { signal } = call
  const end = () => ending.abort()
  signal?.addEventListener('abort', end)
  let parts: Connection['parts'] | undefined
  const close = () => {
    signal?.removeEventListener('abort', end)
    end()
    // The body may fail because of the abort.
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
 * Requests the items after a number. A deployment that refuses the parameters that only our service has is asked without
 * them. It replays the stream from the beginning, and items that the reader has seen are skipped.
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
    if (!isRefusal(refusal) || capabilities.isComplete) throw refusal
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

/** The chunks of a body. Throws when none arrives for 45 seconds: the connection may be dead although it looks open. */
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

/** The error for a connection that is given up, with a code like that of a network error. */
export function broken(code: 'STREAM_SILENT' | 'STREAM_ENDED' | 'ITEMS_MISSING'): Error {
  return Object.assign(new Error('the stream broke off'), { code })
}
