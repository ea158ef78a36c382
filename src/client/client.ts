import { contract, type EndpointName } from '../contract/index.ts'
import type { Endpoint } from '../contract/base/endpoint.ts'
import { replyText, type Send, type WireReply, type WireRequest } from '../contract/base/wire.ts'
import { systemClock, type Clock } from '../lib/clock.ts'
import { lazyMembers } from '../lib/lazy-members.ts'
import type { Tracing } from '../lib/trace/span.ts'
import { version } from '../version.ts'
import type { Api, CallOptions } from './api.ts'
import { bodyText, readable } from './answer.ts'
import { arrived, describeExchange, failedReply, failedStream, received, type Exchange } from './exchange.ts'
import { askKnowing } from './capabilities/ask-knowing.ts'
import { Capabilities } from './capabilities/capabilities.ts'
import { readAnswer } from './reader/index.ts'
import { wireRequest } from './request.ts'
import { repeat, sleep as realSleep, type RepeatOptions, type Sleep } from './retry.ts'
import { readStream } from './stream/index.ts'
import { tracedSend } from './traced-send.ts'
import { compilePartReader, type StreamEndpoint } from './stream/item.ts'

export interface ClientOptions {
  /** The network, or the `handle` of the embedded service; the client cannot distinguish them. */
  send: Send
  /** Base address without `/v1` and without a slash at its end. */
  baseUrl: string
  /** The user's API token, sent as a bearer token. */
  token: string
  /** `mcp` marks every request as one that a tool makes, so that a person's decision cannot come this way. */
  via?: 'mcp'
  /** How often a read or an idempotent write is retried; default 3, and 8 for the connections of a stream. */
  retries?: number
  /** Waits between retries; passed in so that tests control time. */
  sleep?: Sleep
  /** Time of streams; by default the system's. */
  clock?: Clock
  /** Epoch milliseconds, for a `Retry-After` that is a date and for trailing windows. */
  now?: () => number
  /** Records requests as spans; without it, the position in a trace is only passed on. */
  tracing?: Tracing | undefined
  /** What has been learned of the deployment; those of a process share it. By default the client learns for itself. */
  capabilities?: Capabilities
}

/**
 * The typed client: a fold over the contract. Every call rejects with a `ServiceError` of the failures table, or with the
 * reason of the caller's abort signal. Only calls whose table entry allows it are retried (contract §0.6); any other call
 * whose outcome is unknown fails with `outcome_unknown`.
 */
export function createApi(options: ClientOptions): Api {
  const { capabilities = new Capabilities(options.now === undefined ? {} : { now: options.now }) } = options
  const shared = { ...options, capabilities }
  // The fold gives each name the method that `Api` derives from the same table entry. Over HTTP each request has a client,
  // which calls a few of a hundred methods.
  const method = (name: string) => createMethod(contract[name as EndpointName] as Endpoint, shared)
  return lazyMembers(contract, method) as unknown as Api
}

/** Connections in a row that may bring nothing new: a server may take some 15 seconds to start again. */
const STREAM_RETRIES = 8

type Request = Readonly<Record<string, unknown>>

/** One endpoint as a function. */
function createMethod(endpoint: Endpoint, options: ClientOptions) {
  if (isStream(endpoint)) return createStream(endpoint, options)
  const { capabilities = new Capabilities(), now = Date.now } = options
  const send = (request: Request, call: CallOptions = {}) =>
    plainCall(endpoint, request, call, { ...options, capabilities })
  if (endpoint.method !== 'GET') return send
  return (request: Request, call: CallOptions = {}) =>
    askKnowing(endpoint, request, { ask: (accepted) => send(accepted, call), capabilities, now })
}

function isStream(endpoint: Endpoint): endpoint is StreamEndpoint {
  return endpoint.stream !== undefined
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
      const reply = await received(exchange, () => tracedSend(endpoint, wire, options))
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

/** The preference for the form that says most: each item has its number, and silence is filled. */
const streamTypes = 'text/event-stream, application/x-ndjson;q=0.9, application/json;q=0.8'

function createStream(endpoint: StreamEndpoint, options: ClientOptions) {
  const { capabilities = new Capabilities(), now = Date.now, clock = systemClock } = options
  const { retries = STREAM_RETRIES } = options
  const read = compilePartReader(endpoint, (text) => failedStream(endpoint, text, now()))
  return (request: Request, call: CallOptions = {}) => {
    const exchange = describeExchange(endpoint, request, call)
    return readStream({
      endpoint,
      request,
      signal: call.signal,
      capabilities,
      clock,
      read,
      async send(members, after, signal) {
        const wire = buildRequest(endpoint, members, streamTypes, signal, options)
        const headers = after === undefined ? wire.headers : { ...wire.headers, 'last-event-id': String(after) }
        const reply = await received(exchange, () => tracedSend(endpoint, { ...wire, headers }, options))
        if (reply.status < 300) return reply
        throw failed(exchange, reply, await received(exchange, () => replyText(reply)), options)
      },
      arrived: (next) => arrived(exchange, next),
      repeat: (attempt) => repeat(attempt, repeatOptions(exchange, { ...options, retries })),
    })
  }
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

/** How a call of this client is repeated. */
export function repeatOptions(
  { endpoint, signal, budget }: Exchange,
  { retries = 3, sleep = realSleep }: Pick<ClientOptions, 'retries' | 'sleep'>,
): RepeatOptions {
  const request = `${endpoint.method} ${endpoint.path}`
  return { retries: endpoint.retry === 'never' ? 0 : retries, sleep, signal, budget, request }
}

function failed({ endpoint }: Exchange, reply: WireReply, text: string, { now = Date.now }: ClientOptions): Error {
  return failedReply(endpoint, { status: reply.status, headers: reply.headers, text }, now())
}
