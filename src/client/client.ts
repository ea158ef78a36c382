import { contract, type EndpointName } from '../contract/index.ts'
import type { Endpoint } from '../contract/base/endpoint.ts'
import { replyText, type Send, type WireReply, type WireRequest } from '../contract/base/wire.ts'
import { ServiceError } from '../errors.ts'
import { version } from '../version.ts'
import type { Api, CallOptions } from './api.ts'
import { bodyText, readable } from './answer.ts'
import { describeExchange, received, type Exchange } from './exchange.ts'
import { failureFromReply, overdue } from './failure.ts'
import { unreachable } from './network-failure.ts'
import { askKnowing } from './capabilities/ask-knowing.ts'
import { Capabilities } from './capabilities/capabilities.ts'
import { readAnswer } from './reader/index.ts'
import { wireRequest } from './request.ts'
import { repeat, sleep as realSleep, Transient, type RepeatOptions, type Sleep } from './retry.ts'
import { jsonStream } from './stream.ts'

export interface ClientOptions {
  /** The network, or the `handle` of the embedded service; the client cannot distinguish them. */
  send: Send
  /** Base address without `/v1` and without a slash at its end. */
  baseUrl: string
  /** The user's API token, sent as a bearer token. */
  token: string
  /** `mcp` marks every request as one that a tool makes, so that a person's decision cannot come this way. */
  via?: 'mcp'
  /** How often a read or an idempotent write is retried; default 3. */
  retries?: number
  /** Waits between retries; passed in so that tests control time. */
  sleep?: Sleep
  /** Epoch milliseconds, for a `Retry-After` that is a date and for trailing windows. */
  now?: () => number
  /** What has been learned of the deployment; those of a process share it. By default the client learns for itself. */
  capabilities?: Capabilities
}

/**
 * The typed client: a fold over the contract. Every call rejects with a `ServiceError` of the failures table, or with the
 * reason of the caller's abort signal. Only calls whose table entry allows it are retried (contract §0.6); any other call
 * whose outcome is unknown fails with `outcome_unknown`.
 */
export function createApi(options: ClientOptions): Api {
  const names = Object.keys(contract) as EndpointName[]
  const shared = { capabilities: new Capabilities(options.now === undefined ? {} : { now: options.now }), ...options }
  // The fold gives each name the method that `Api` derives from the same table entry.
  return Object.fromEntries(
    names.map((name) => [name, createMethod(contract[name] as Endpoint, shared)]),
  ) as unknown as Api
}

type Request = Readonly<Record<string, unknown>>

/** One endpoint as a function: for the fold above, and for tests of endpoints that are not in the table. */
export function createMethod(endpoint: Endpoint, options: ClientOptions) {
  if (endpoint.stream !== undefined)
    return (request: Request, call: CallOptions = {}) => streamCall(endpoint, request, call, options)
  const { capabilities = new Capabilities(), now = Date.now } = options
  const send = (request: Request, call: CallOptions = {}) =>
    plainCall(endpoint, request, call, { ...options, capabilities })
  if (endpoint.method !== 'GET') return send
  return (request: Request, call: CallOptions = {}) =>
    askKnowing(endpoint, request, { ask: (accepted) => send(accepted, call), capabilities, now })
}

async function plainCall(
  endpoint: Endpoint,
  request: Request,
  call: CallOptions,
  { capabilities, ...options }: ClientOptions & { capabilities: Capabilities },
) {
  const exchange = describeExchange(endpoint, request, call)
  const wire = buildRequest(endpoint, request, 'application/json', call.signal, options)
  return repeat(
    async () => {
      const reply = await received(exchange, () => options.send(wire))
      const text = await bodyText(exchange, reply)
      if (reply.status >= 300) throw failed(exchange, reply, text, options)
      const { hasAnswered } = capabilities
      const answer = readable(exchange, { status: reply.status, text, hasAnswered }, (json) =>
        readAnswer(endpoint, json),
      )
      capabilities.hasAnswered = true
      return answer
    },
    repeatOptions(exchange, options),
  )
}

async function* streamCall(
  endpoint: Endpoint,
  request: Request,
  call: CallOptions,
  options: ClientOptions,
): AsyncGenerator<Record<string, unknown>> {
  const { signal, budget } = call
  const exchange = describeExchange(endpoint, request, call)
  const wire = buildRequest(endpoint, request, 'application/x-ndjson, text/event-stream', signal, options)
  const reply = await repeat(
    async () => {
      const opened = await received(exchange, () => options.send(wire))
      if (opened.status < 300) return opened
      throw failed(exchange, opened, await received(exchange, () => replyText(opened)), options)
    },
    repeatOptions(exchange, options),
  )
  try {
    for await (const item of jsonStream(bytes(reply.body), reply.headers['content-type'])) {
      yield readStreamed(endpoint, item, options)
    }
  } catch (error) {
    if (budget?.isOver() === true) throw overdue(endpoint, budget)
    if (signal?.aborted === true) throw signal.reason
    throw error instanceof ServiceError ? error : unreachable(endpoint, error)
  }
}

/** Gateways wrap each message in `result`, and end a failed stream with `error`. */
function readStreamed(endpoint: Endpoint, item: unknown, { now = Date.now }: ClientOptions): Record<string, unknown> {
  const message = item as { result?: unknown; error?: { http_code?: unknown } } | null
  if (message?.error !== undefined) {
    const status = message.error.http_code
    const reply = { status: typeof status === 'number' ? status : 503, headers: {}, text: JSON.stringify(item) }
    throw failureFromReply(endpoint, reply, now())
  }
  return readAnswer(endpoint, message?.result ?? item)
}

function buildRequest(
  endpoint: Endpoint,
  request: Request,
  accept: string,
  signal: AbortSignal | undefined,
  { baseUrl, token, via }: ClientOptions,
): WireRequest {
  const headers = {
    accept,
    authorization: `Bearer ${token}`,
    'user-agent': `tracegate/${version}`,
    ...(via !== undefined && { 'x-svc-via': via }),
  }
  const wire = wireRequest(endpoint, request, { baseUrl, headers })
  return signal === undefined ? wire : { ...wire, signal }
}

function repeatOptions(
  { endpoint, signal, budget }: Exchange,
  { retries = 3, sleep = realSleep }: ClientOptions,
): RepeatOptions {
  const request = `${endpoint.method} ${endpoint.path}`
  return { retries: endpoint.retry === 'never' ? 0 : retries, sleep, signal, budget, request }
}

/** 500 is a bug of the deployment and 501 its choice: neither is transient. */
const transientStatuses = new Set([408, 425, 429, 502, 503, 504])

function failed({ endpoint }: Exchange, reply: WireReply, text: string, { now = Date.now }: ClientOptions): Error {
  const failure = failureFromReply(endpoint, { status: reply.status, headers: reply.headers, text }, now())
  return transientStatuses.has(reply.status) ? new Transient(failure) : failure
}

async function* bytes(body: WireReply['body']): AsyncGenerator<Uint8Array> {
  if (typeof body === 'string') yield Buffer.from(body)
  else if (body instanceof Uint8Array) yield body
  else yield* body
}
