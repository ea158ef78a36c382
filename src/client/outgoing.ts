import type { LookupAddress } from 'node:dns'
import { Readable } from 'node:stream'
import type { Dispatcher, request } from 'undici'
import type { Send, WireReply, WireRequest } from '../contract/base/wire.ts'
import { ServiceError } from '../errors.ts'
import { openProxyAgent } from './proxy/proxy-agent.ts'
import { proxyFor, type ProxySettings } from './proxy/proxy-for.ts'
import { vettedAddresses, type Lookup } from './upload-address.ts'

export interface OutgoingOptions {
  /** The configured base address, whose host may be private. */
  baseUrl: string
  /** The `Send` of the embedded service; with it nothing goes over the network. */
  send?: Send
  /** Longest wait for the response, and for the peer to accept more data; default 60 s. */
  timeoutMs?: number
  lookup?: Lookup
  /** The proxy that https goes through. */
  proxy?: ProxySettings | undefined
}

/** A connection to one address that the deployment named. It follows no redirect, and reads only the status of a reply. */
export interface Outgoing {
  send: Send
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 10_000

/**
 * Opens a connection to an address that the deployment named, over the network to vetted addresses or straight into the
 * embedded service (mcp §8.2). `what` names the address in errors: `upload address`. Throws `upstream_shape_unknown` for
 * an address that is refused.
 */
export async function openOutgoing(url: URL, what: string, options: OutgoingOptions): Promise<Outgoing> {
  const { baseUrl, send, proxy, lookup = systemLookup(what) } = options
  if (send === undefined) {
    const through = proxyFor(url, proxy)
    const addresses = await vettedAddresses(url, { what, baseUrl, lookup, resolvedByProxy: through !== undefined })
    return through === undefined ? connectionTo(addresses, options) : connectionThrough(through, options)
  }
  if (url.origin === new URL(baseUrl).origin) return { send, close: () => Promise.resolve() }
  throw new ServiceError('upstream_shape_unknown', `the ${what} of the embedded service is of another origin`)
}

function systemLookup(what: string): Lookup {
  return async (hostname) => {
    const dns = await import('node:dns/promises')
    try {
      return await dns.lookup(hostname, { all: true })
    } catch (cause) {
      throw new ServiceError('unavailable', `the host name of the deployment's ${what} cannot be resolved`, { cause })
    }
  }
}

/** Connects to these addresses only, even if the name resolves to others by then. undici is loaded at the first use. */
async function connectionTo(addresses: readonly LookupAddress[], options: OutgoingOptions): Promise<Outgoing> {
  const { default: undici } = await import('undici')
  const agent = new undici.Agent({
    ...agentOptions(options),
    connect: {
      lookup: (_hostname, { all }, done) => {
        const [first] = addresses
        if (all === true) done(null, [...addresses])
        else done(null, first?.address ?? '', first?.family)
      },
    },
  })
  return { send: (request) => sendWith(undici, agent, request), close: () => agent.destroy() }
}

/** Connects through the proxy, which resolves the name and decides where it leads. */
async function connectionThrough(proxy: URL, options: OutgoingOptions): Promise<Outgoing> {
  const { default: undici } = await import('undici')
  const agent = openProxyAgent(undici, proxy, agentOptions(options))
  return { send: (request) => sendWith(undici, agent, request), close: () => agent.destroy() }
}

function agentOptions({ timeoutMs = 60_000 }: OutgoingOptions) {
  const limits = { connectTimeout: CONNECT_TIMEOUT_MS, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
  return { connections: 1, pipelining: 1, allowH2: false, ...limits }
}

async function sendWith(
  undici: { request: typeof request },
  agent: Dispatcher,
  { method, url, headers, body, signal }: WireRequest,
): Promise<WireReply> {
  const reply = await undici.request(url, {
    dispatcher: agent,
    method: method === 'POST' ? 'POST' : 'PUT',
    headers,
    body:
      body === undefined || body instanceof Uint8Array ? (body ?? null) : Readable.from(body, { objectMode: false }),
    signal: signal ?? null,
  })
  // Only the status matters.
  await reply.body.dump()
  const { date, 'retry-after': wait } = reply.headers
  const read = {
    ...(typeof date === 'string' && { date }),
    ...(typeof wait === 'string' && { 'retry-after': wait }),
  }
  return { status: reply.statusCode, headers: read, body: '' }
}
