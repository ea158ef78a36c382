import type { WireReply } from '../../../contract/base/wire.ts'
import { isPendingAfter, type Clock } from '../../../lib/clock.ts'
import type { OpenStreams } from './open-streams.ts'
import type { StreamForm, StreamItem } from './stream-form.ts'

/** How long a token that was revoked or lost its access can continue to read. */
const RECHECK_MS = 60_000

export interface StreamOptions {
  form: StreamForm
  /** Opens the stream; its items end when the signal aborts. */
  open(this: void, signal: AbortSignal): AsyncGenerator<StreamItem, void>
  /** Counts the stream as open while its body is read. */
  enter(this: void): ReturnType<OpenStreams['enter']>
  /** Whether the caller may still read. Rejects with the reason if the token is not valid any more. */
  recheck(this: void): Promise<boolean>
  /** Logs the error, and returns the body that tells the reader about it. */
  failed(this: void, thrown: unknown): object
  clock: Clock
  requestId: string
}

/** A reply whose body is written as the items arrive. Its headers ask proxies not to buffer, compress or store it. */
export function streamReply(options: StreamOptions): WireReply {
  const headers = {
    'content-type': options.form.contentType,
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-request-id': options.requestId,
  }
  return { status: 200, headers, body: encoded(body(options)) }
}

/** The reply when no items can follow; after it a browser does not connect again. */
export function emptyReply(requestId: string): WireReply {
  return { status: 204, headers: { 'cache-control': 'no-store', 'x-request-id': requestId }, body: '' }
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text)
}

/** The text of the stream. The next item is read when the reader has taken the one before. */
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
    // After an abort the reader has left, or the service closes and the reader connects again.
    if (stream?.signal.aborted !== true) yield form.error(failed(thrown))
  } finally {
    stream?.leave()
  }
}

const SILENCE = Symbol('silence')

/** The items, and `SILENCE` after each period of that length without one. */
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
    // Not awaited: a pending `next` settles only when the stream's signal aborts.
    void items.return()
  }
}
