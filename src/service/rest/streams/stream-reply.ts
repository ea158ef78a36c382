import type { WireReply } from '../../../contract/base/wire.ts'
import { isPendingAfter, type Clock } from '../../../lib/clock.ts'
import type { OpenStreams } from './open-streams.ts'
import type { StreamForm, StreamItem } from './stream-form.ts'

/** A token that is revoked, or loses its access, reads no longer than this. */
const RECHECK_MS = 60_000

export interface StreamOptions {
  form: StreamForm
  /** Opens the stream; its items end when the signal aborts. */
  open(this: void, signal: AbortSignal): AsyncGenerator<StreamItem, void>
  /** Takes part in the count of open streams while the reply is read. */
  enter(this: void): ReturnType<OpenStreams['enter']>
  /** Whether the caller may still read; rejects with the failure where it says why not. */
  recheck(this: void): Promise<boolean>
  /** Logs what was thrown, and returns what the error says. */
  failed(this: void, thrown: unknown): object
  clock: Clock
  requestId: string
}

/** The reply whose body is written as the items come. Proxies are asked not to collect, compress or keep it. */
export function streamReply(options: StreamOptions): WireReply {
  const headers = {
    'content-type': options.form.contentType,
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-request-id': options.requestId,
  }
  return { status: 200, headers, body: encoded(body(options)) }
}

/** The reply when nothing can follow: a reader of server-sent events does not connect again after it. */
export function emptyReply(requestId: string): WireReply {
  return { status: 204, headers: { 'cache-control': 'no-store', 'x-request-id': requestId }, body: '' }
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text)
}

/** The text of the stream. Nothing is read for a reader who has not taken the piece before. */
async function* body({ form, open, enter, recheck, failed, clock }: StreamOptions): AsyncGenerator<string> {
  let stream: ReturnType<OpenStreams['enter']> | undefined
  try {
    stream = enter()
    let checkedAt = clock.now()
    for await (const item of withSilences(open(stream.signal), form.heartbeatMs ?? RECHECK_MS, clock)) {
      if (clock.now() - checkedAt >= RECHECK_MS) {
        if (!(await recheck())) return
        checkedAt = clock.now()
      }
      if (item !== SILENCE) yield form.item(item)
      else if (form.heartbeatMs !== undefined) yield form.heartbeat
    }
  } catch (thrown) {
    // A reader who has left needs no reason, and one of a service that closes connects again.
    if (stream?.signal.aborted !== true) yield form.error(failed(thrown))
  } finally {
    stream?.leave()
  }
}

const SILENCE = Symbol('silence')

/** The items, and `SILENCE` whenever none has come for the time. */
async function* withSilences<T>(
  items: AsyncGenerator<T, void>,
  silenceMs: number,
  clock: Clock,
): AsyncGenerator<T | typeof SILENCE, void> {
  try {
    for (;;) {
      const next = items.next()
      while (await isPendingAfter(next, silenceMs, clock)) yield SILENCE
      const { done, value } = await next
      if (done === true) return
      yield value
    }
  } finally {
    // The item that is still awaited comes when the stream's signal has aborted.
    void items.return()
  }
}
