import { Readable } from 'node:stream'
import type { Send, WireRequest } from '../contract/base/wire.ts'
import { ServiceError } from '../errors.ts'
import { acceptedEncodings, decoded } from './decode.ts'
import { openProxyAgent } from './proxy/proxy-agent.ts'
import { proxyFor, type ProxySettings } from './proxy/proxy-for.ts'

export interface NetworkOptions {
  /** Longest wait for the headers of a response, and for a whole response that is not a stream. */
  timeoutMs?: number
  connectTimeoutMs?: number
  /** Largest response that is read, before and after it is unpacked; default 64 MiB. */
  maxReplyBytes?: number
  /** The proxy that https goes through; loopback hosts are always reached directly. */
  proxy?: ProxySettings | undefined
}

/** A `Send` over the network; `close` closes its connections. */
export type NetworkSend = Send & { close(): Promise<void> }

/**
 * Of the 25 s of a tool call (mcp §5): a read that gets no answer is repeated once, 12 s + 0.2 s + 12 s. A write is not
 * repeated after a timeout, because it may still be running; the call ends before its limit, which is for other callers.
 */
export const READ_MS = 12_000
export const WRITE_MS = 30_000

/**
 * Sends over undici with up to 8 kept-alive connections per host and one more for each stream, without pipelining
 * (decision 018). Redirects are not followed, so the bearer token goes to the configured address and nowhere else. undici is
 * loaded at the first request.
 */
export function networkSend(options: NetworkOptions = {}): NetworkSend {
  const { connectTimeoutMs = 5_000, maxReplyBytes = 64 * 1024 * 1024, proxy } = options
  const openedBy = new Map<string, ReturnType<typeof open>>()

  /** The agents for an address: there is one pair, and one more for each proxy. */
  function agentsFor(url: string): ReturnType<typeof open> {
    const through = proxyFor(new URL(url), proxy)
    const key = through?.href ?? ''
    const known = openedBy.get(key)
    if (known !== undefined) return known
    const opened = open({ connectTimeoutMs, through })
    openedBy.set(key, opened)
    return opened
  }

  async function send(request: WireRequest) {
    const { undici, agent, streamAgent } = await agentsFor(request.url)
    const asksForStream = request.headers['accept']?.includes('text/event-stream') === true
    const timeoutMs = options.timeoutMs ?? (request.method === 'GET' ? READ_MS : WRITE_MS)
    const deadline = performance.now() + timeoutMs
    const reply = await undici.request(request.url, {
      dispatcher: asksForStream ? streamAgent : agent,
      method: request.method as 'GET',
      headers: { 'accept-encoding': asksForStream ? 'identity' : acceptedEncodings, ...request.headers },
      body: requestBody(request.body),
      signal: request.signal ?? null,
      headersTimeout: timeoutMs,
      // A run may be silent for minutes, and its stream ends with the signal; other bodies have a deadline.
      bodyTimeout: 0,
    })
    const headers = Object.fromEntries(
      Object.entries(reply.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : (value ?? ''),
      ]),
    )
    const limits = { maxReplyBytes, deadline }
    const isStream = asksForStream && reply.statusCode < 300
    const body = isStream
      ? reply.body
      : decoded(limited(reply.body, limits), headers['content-encoding'], maxReplyBytes)
    return { status: reply.statusCode, headers, body }
  }

  return Object.assign(send, {
    async close() {
      const all = await Promise.all(openedBy.values())
      await Promise.all(all.flatMap(({ agent, streamAgent }) => [agent.close(), streamAgent.destroy()]))
    },
  })
}

async function open({ connectTimeoutMs, through }: { connectTimeoutMs: number; through: URL | undefined }) {
  const { default: undici } = await import('undici')
  const options = { pipelining: 1, allowH2: false, connectTimeout: connectTimeoutMs, keepAliveTimeout: 10_000 }
  const newAgent = (limits: { connections?: number }) =>
    through === undefined
      ? new undici.Agent({ ...options, ...limits })
      : openProxyAgent(undici, through, { ...options, ...limits })
  const agent = newAgent({ connections: 8 })
  // A stream keeps its connection for minutes, which no other request may have to wait for.
  const streamAgent = newAgent({})
  return { undici, agent, streamAgent }
}

function requestBody(body: WireRequest['body']) {
  if (body === undefined) return null
  return body instanceof Uint8Array ? body : Readable.from(body, { objectMode: false })
}

/** Ends a response that is too large, or that is not complete at the deadline. */
async function* limited(
  body: Readable,
  { maxReplyBytes, deadline }: { maxReplyBytes: number; deadline: number },
): AsyncGenerator<Uint8Array> {
  const tooSlow = Object.assign(new Error('response too slow'), { code: 'REPLY_TIMEOUT' })
  const timer = setTimeout(() => body.destroy(tooSlow), Math.max(1, deadline - performance.now()))
  let bytes = 0
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength
      if (bytes > maxReplyBytes) {
        throw new ServiceError('upstream_shape_unknown', `the response is larger than ${String(maxReplyBytes)} bytes`)
      }
      yield chunk
    }
  } finally {
    clearTimeout(timer)
  }
}
