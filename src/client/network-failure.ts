import type { Endpoint } from '../contract/base/endpoint.ts'
import { ServiceError } from '../errors.ts'
import { Transient } from './retry.ts'

type Called = Pick<Endpoint, 'method' | 'path' | 'retry'>

/** The failure of a call whose reply did not arrive or arrived incomplete; a `Transient` where repeating may help. */
export function networkFailure(endpoint: Called, error: unknown): Error {
  const code = errorCode(error)
  // Without a code it is a bug in the transport, which retrying does not fix.
  if (code === undefined) return unreachable(endpoint, error)
  if (certificateCode.test(code)) return misconfigured(endpoint, error, code)
  return new Transient(unreachable(endpoint, error), { timedOut: timeouts.has(code) })
}

/** `unavailable`, or `outcome_unknown` for a write that must not be repeated and may have arrived. */
export function unreachable(endpoint: Called, cause: unknown): ServiceError {
  const call = `${endpoint.method} ${endpoint.path}`
  const code = errorCode(cause)
  const why = `(${code ?? 'network error'})${words(code)}`
  if (endpoint.retry === 'never' && (code === undefined || !neverArrived.has(code))) {
    const message = `no response to ${call} ${why}: it may or may not have taken effect`
    return new ServiceError('outcome_unknown', message, { cause })
  }
  return new ServiceError('unavailable', `the service cannot be reached for ${call} ${why}`, { cause })
}

/** `ECONNRESET`, `UND_ERR_HEADERS_TIMEOUT`, …: the code of a network error or of its cause. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return code
  return error.cause === undefined ? undefined : errorCode(error.cause)
}

/** Codes of connections that were never established: the request cannot have had an effect. */
const neverArrived: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Codes of requests that ran into their own time limit. */
const timeouts: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'REPLY_TIMEOUT',
  'ETIMEDOUT',
])

const certificateCode = /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/

function misconfigured({ method, path }: Called, cause: unknown, code: string): ServiceError {
  return new ServiceError('unavailable', `the service cannot be reached for ${method} ${path} (${code})`, { cause })
}

function words(_: string | undefined): string {
  return ''
}
