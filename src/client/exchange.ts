import type { Endpoint } from '../contract/base/endpoint.ts'
import { failures, ServiceError } from '../errors.ts'
import type { CallOptions } from './api.ts'
import { parseErrorBody } from './error-body.ts'
import { failureFromReply, neverSent, overdue, type ErrorReply } from './failure.ts'
import { brokenOff, networkFailure } from './network-failure.ts'
import { Transient } from './retry.ts'

/** What the failures of one call depend on. */
export interface Exchange extends CallOptions {
  /** The endpoint; a preview is repeated and judged like a read, because it changes nothing. */
  endpoint: Pick<Endpoint, 'method' | 'path' | 'retry' | 'fails'>
  /** Whether the contract has no member for the answer: it may be empty. */
  returnsNothing: boolean
}

/** The exchange of one call. */
export function describeExchange(
  endpoint: Endpoint,
  request: Readonly<Record<string, unknown>>,
  options: CallOptions,
): Exchange {
  const previews = request['validate_only'] === true
  const returnsNothing = Object.keys(endpoint.returns.shape).length === 0
  return { ...options, endpoint: previews ? { ...endpoint, retry: 'read' } : endpoint, returnsNothing }
}

/**
 * Sends and receives; `send` is given up when the signal aborts, whether it heeds the signal or not. Rejects with the
 * caller's reason after an abort, and with a `ServiceError`, or with a `Transient` around one, for anything else.
 */
export async function received<T>(exchange: Exchange, send: () => Promise<T>): Promise<T> {
  const { endpoint, signal, budget } = exchange
  if (budget?.isOver() === true) throw neverSent(endpoint, budget)
  signal?.throwIfAborted()
  const ended = budget?.waits?.began(`${endpoint.method} ${endpoint.path}`)
  try {
    return await untilAborted(send(), signal)
  } catch (error) {
    throw ending(exchange) ?? (error instanceof ServiceError ? error : networkFailure(endpoint, error))
  } finally {
    ended?.()
  }
}

/**
 * The next piece of a stream; rejects in the same way, and with a `Transient` for what is not a failure of the service: the
 * connection has broken.
 */
export async function arrived<T>(exchange: Exchange, next: () => Promise<T>): Promise<T> {
  try {
    return await untilAborted(next(), exchange.signal)
  } catch (error) {
    const isKnown = error instanceof ServiceError || error instanceof Transient
    throw ending(exchange) ?? (isKnown ? error : new Transient(brokenOff(exchange.endpoint, error)))
  }
}

/** Why the call has ended, whatever its request came to; undefined while it may go on. */
function ending({ endpoint, signal, budget }: Exchange): Error | undefined {
  if (budget?.isOver() === true) return overdue(endpoint, budget)
  return signal?.aborted === true ? (signal.reason as Error) : undefined
}

/** 500 is a bug of the deployment and 501 its choice: neither is transient. */
const transientStatuses = new Set([408, 425, 429, 502, 503, 504])

/** The failure that an error inside a stream means, as the reply that would say the same. */
export function failedStream(endpoint: Exchange['endpoint'], text: string, now: number): Error {
  const { grpc, status = statusByCode(grpc) } = parseErrorBody(text)
  return failedReply(endpoint, { status, headers: {}, text }, now)
}

function statusByCode(grpc: number | undefined): number {
  return Object.values(failures).find((failure) => failure.grpc === grpc)?.status ?? failures.unavailable.status
}

/** The failure that an error reply means; a `Transient` where repeating may help. */
export function failedReply(endpoint: Exchange['endpoint'], reply: ErrorReply, now: number): Error {
  const failure = failureFromReply(endpoint, reply, now)
  return transientStatuses.has(reply.status) ? new Transient(failure) : failure
}

/** The outcome of the work, or the reason of the signal as soon as it aborts. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error)
    signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
