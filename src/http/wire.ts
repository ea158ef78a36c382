import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { WireReply, WireRequest } from '../contract/base/wire.ts'
import { createTurnstile } from '../lib/turns-of-others.ts'

/** Bytes of an unread body that are read and discarded, so that the sender receives the reply. */
const drainBytes = 8 * 1024 * 1024
const drainMs = 2000

/** Pieces of all bodies that are read in a turn of the event loop, each up to 64 KiB. */
const piecesPerTurn = 8
const nextPiece = createTurnstile(piecesPerTurn)

/**
 * A node:http request in the form that the service takes. `origin` is the address that the caller used. The receiver
 * decides how much of the body is read; if it stops early the connection can still carry the reply.
 */
export function toWireRequest(incoming: IncomingMessage, outgoing: ServerResponse, origin: string): WireRequest {
  const headers: Record<string, string | undefined> = {}
  for (const name in incoming.headers) {
    const value = incoming.headers[name]
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return new PeerRequest(incoming, outgoing, { url: origin + requestTarget(incoming), headers })
}

/** A class, because an object with a getter of its own would stay in memory for long (decision 034). */
class PeerRequest implements WireRequest {
  readonly method: string
  readonly url: string
  readonly headers: WireRequest['headers']
  readonly body?: AsyncIterable<Uint8Array>
  readonly #outgoing: ServerResponse
  #signal: AbortSignal | undefined

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { url, headers }: Pick<WireRequest, 'url' | 'headers'>,
  ) {
    // The service handles GET; the reply to HEAD is the same without a body.
    this.method = incoming.method === 'HEAD' ? 'GET' : (incoming.method ?? 'GET')
    this.url = url
    this.headers = headers
    if (hasBody(incoming)) this.body = inTurn(incoming)
    this.#outgoing = outgoing
  }

  /** Made when it is first read: most requests are answered without anyone asking for it. */
  get signal(): AbortSignal {
    return (this.#signal ??= signalOfPeer(this.#outgoing))
  }
}

/** Aborts when the connection closes before the reply is written. */
function signalOfPeer(outgoing: ServerResponse): AbortSignal {
  if (outgoing.closed && !outgoing.writableFinished) return AbortSignal.abort()
  const aborting = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) aborting.abort()
  })
  return aborting.signal
}

/** The pieces of a body, so that many bodies at once do not keep everything else waiting. */
async function* inTurn(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  if (incoming.complete) {
    // It has arrived whole, as most events do: one piece, without the listeners of an iterator.
    await nextPiece()
    const whole = incoming.read() as Uint8Array | null
    if (whole !== null) yield whole
  }
  // The default iterator destroys the socket when it ends early, and with it the reply.
  if (isRead(incoming)) return
  for await (const piece of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    await nextPiece()
    yield piece
  }
}

/** Whether all of the body has arrived and was taken. */
function isRead({ readableEnded, complete, readableLength }: IncomingMessage): boolean {
  return readableEnded || (complete && readableLength === 0)
}

/** Path and query of a request. */
export function requestTarget({ url = '/' }: IncomingMessage): string {
  return url.startsWith('/') ? url : '/'
}

/**
 * Rewrites a request whose target is absolute (`GET http://host/path`) as one whose target is its path. The host of the
 * target takes the place of the Host header (RFC 9112 §3.2.2), so that whoever checks Host checks what was asked for. The
 * path stays as it was sent. Returns false for a target that is neither.
 */
export function takeAbsoluteTarget(incoming: IncomingMessage): boolean {
  const { url = '/' } = incoming
  if (url.startsWith('/') || url === '*') return true
  // User information is an error (RFC 9110 §4.2.4).
  const [, host, rest = ''] = /^https?:\/\/([^/?#@]+)((?:[/?#].*)?)$/i.exec(url) ?? []
  if (host === undefined) return false
  incoming.headers.host = host
  incoming.url = rest.startsWith('/') ? rest : `/${rest}`
  return true
}

/**
 * Writes a reply. If the request's body was not read to its end, the connection closes after the reply, and the rest of
 * the body is drained for up to two seconds first: a peer that is still sending would otherwise see a reset instead.
 */
export async function writeReply(incoming: IncomingMessage, outgoing: ServerResponse, reply: WireReply): Promise<void> {
  const unread = hasBody(incoming) && !isRead(incoming)
  const headers: Record<string, string | number> = { ...reply.headers }
  if (unread) headers['connection'] = 'close'
  if (isStream(reply.body)) {
    outgoing.writeHead(reply.status, headers)
    // The first piece may come much later, and the reader waits for the status.
    outgoing.flushHeaders()
    if (incoming.method !== 'HEAD') return pipeline(Readable.from(reply.body, { objectMode: false }), outgoing)
    outgoing.end()
    return
  }
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body
  if (mayHaveBody(reply.status)) headers['content-length'] = body.byteLength
  outgoing.writeHead(reply.status, headers)
  const isShown = incoming.method !== 'HEAD' && mayHaveBody(reply.status)
  if (!unread) {
    outgoing.end(isShown ? body : undefined)
    return
  }
  if (isShown) outgoing.write(body)
  else outgoing.flushHeaders()
  await drained(incoming)
  // Many that were refused together also end together.
  await nextPiece()
  outgoing.end()
}

function isStream(body: WireReply['body']): body is AsyncIterable<Uint8Array> {
  return typeof body !== 'string' && !(body instanceof Uint8Array)
}

function mayHaveBody(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Resolves when the body has ended, the peer is gone, or enough was discarded. */
function drained(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(done, drainMs)
    incoming.once('end', done).once('close', done).once('error', done)
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength
      if (bytes > drainBytes) return done()
      incoming.pause()
      void nextPiece().then(() => incoming.resume())
    })
  })
}
