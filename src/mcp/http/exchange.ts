import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * A node:http request as the web's `Request`, without its body: that is read and parsed already. It aborts when the
 * connection closes before the response is written.
 */
export function webRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const aborting = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) aborting.abort()
  })
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const url = `http://${incoming.headers.host ?? 'localhost'}${incoming.url ?? '/'}`
  return new Request(url, { method: incoming.method ?? 'GET', headers, signal: aborting.signal })
}

/** Writes a response of the web: a stream of events as it comes, anything else in one piece. */
export async function writeResponse(outgoing: ServerResponse, response: Response): Promise<void> {
  const headers = Object.fromEntries(response.headers)
  if (response.body !== null && headers['content-type'] === 'text/event-stream') {
    outgoing.writeHead(response.status, headers)
    // Who listens waits for them. A call that breaks off before them fails at once in its client, while one whose stream
    // breaks off waits until its time has passed: they are sent with the first event.
    if (outgoing.req.method === 'GET') outgoing.flushHeaders()
    return writeEvents(outgoing, response.body)
  }
  const body = Buffer.from(await response.arrayBuffer())
  outgoing.writeHead(response.status, { ...headers, 'content-length': body.byteLength }).end(body)
}

/** The stream is cancelled when the peer disconnects. */
async function writeEvents(outgoing: ServerResponse, events: ReadableStream<Uint8Array>): Promise<void> {
  const reader = events.getReader()
  const closed = new Promise<void>((resolve) => {
    outgoing.once('close', () => {
      resolve()
      reader.cancel().catch(() => undefined)
    })
  })
  // No event would tell of it any more.
  if (outgoing.closed) return reader.cancel()
  for (;;) {
    const { done, value } = await reader.read()
    if (done || outgoing.destroyed || outgoing.writableEnded) break
    if (!outgoing.write(value)) await Promise.race([new Promise((resolve) => outgoing.once('drain', resolve)), closed])
  }
  outgoing.end()
}
