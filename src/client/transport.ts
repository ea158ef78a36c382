import { Readable } from 'node:stream'
import type { Send, WireRequest } from '../contract/base/wire.ts'
import { ServiceError } from '../errors.ts'

export interface NetworkOptions {
  /** Longest wait for headers, between two chunks, and for a whole response that is not a stream; default 30 s. */
  timeoutMs?: number
  connectTimeoutMs?: number
  /** Largest response that is read; default 64 MiB. */
  maxReplyBytes?: number
}

/** A `Send` over the network; `close` closes its connections. */
export type NetworkSend = Send & { close(): Promise<void> }

/**
 * Sends over undici with up to 8 kept-alive connections per host, without pipelining (decision 018). Redirects are not
 * followed, so the bearer token goes to the configured address and nowhere else. undici is loaded at the first request.
 */
export function networkSend(options: NetworkOptions = {}): NetworkSend {
  const { timeoutMs = 30_000, connectTimeoutMs = 5_000, maxReplyBytes = 64 * 1024 * 1024 } = options
  let opened: ReturnType<typeof open> | undefined

  async function send(request: WireRequest) {
    opened ??= open({ timeoutMs, connectTimeoutMs })
    const { undici, agent } = await opened
    const streams = request.headers['accept']?.includes('text/event-stream') === true
    const deadline = performance.now() + timeoutMs
    const reply = await undici.request(request.url, {
      dispatcher: agent,
      method: request.method as 'GET',
      headers: request.headers,
      body: requestBody(request.body),
      signal: request.signal ?? null,
      // A run may be silent for minutes; the caller's signal ends the stream.
      ...(streams ? { bodyTimeout: 0 } : {}),
    })
    const headers = Object.fromEntries(
      Object.entries(reply.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : (value ?? ''),
      ]),
    )
    const body = streams ? reply.body : limited(reply.body, { maxReplyBytes, deadline })
    return { status: reply.statusCode, headers, body }
  }

  return Object.assign(send, {
    async close() {
      if (opened === undefined) return
      await (await opened).agent.close()
    },
  })
}

async function open({ timeoutMs, connectTimeoutMs }: { timeoutMs: number; connectTimeoutMs: number }) {
  const { default: undici } = await import('undici')
  const agent = new undici.Agent({
    connections: 8,
    pipelining: 1,
    allowH2: false,
    connectTimeout: connectTimeoutMs,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 10_000,
  })
  return { undici, agent }
}

function requestBody(body: WireRequest['body']) {
  if (body === undefined) return null
  return body instanceof Uint8Array ? body : Readable.from(body, { objectMode: false })
}

/** Ends a response that is too large, or that passes the deadline although each chunk arrives in time. */
async function* limited(
  body: AsyncIterable<Uint8Array>,
  { maxReplyBytes, deadline }: { maxReplyBytes: number; deadline: number },
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxReplyBytes) {
      throw new ServiceError('upstream_shape_unknown', `the response is larger than ${String(maxReplyBytes)} bytes`)
    }
    if (performance.now() > deadline) throw Object.assign(new Error('response too slow'), { code: 'REPLY_TIMEOUT' })
    yield chunk
  }
}
