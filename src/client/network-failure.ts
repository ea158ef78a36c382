import type { Endpoint } from '../contract/base/endpoint.ts'
import { ServiceError } from '../errors.ts'
import { Transient } from './retry.ts'

type Called = Pick<Endpoint, 'method' | 'path' | 'retry'>

/** The failure of a call whose reply did not arrive or arrived incomplete; a `Transient` where repeating may help. */
export function networkFailure(endpoint: Called, error: unknown): Error {
  const code = errorCode(error)
  // Without a code it is a bug in the transport, which retrying does not fix.
  if (code === undefined) return unreachable(endpoint, error)
  if (isMisconfigured(code)) return misconfigured(endpoint, error, code)
  return new Transient(unreachable(endpoint, error), { timedOut: timeouts.has(code.replace(/^PROXY_/, '')) })
}

/** `unavailable`, or `outcome_unknown` for a write that must not be repeated and may have arrived. */
function unreachable(endpoint: Called, cause: unknown): ServiceError {
  const call = `${endpoint.method} ${endpoint.path}`
  const code = errorCode(cause)
  const why = `(${code ?? 'network error'})`
  if (endpoint.retry === 'never' && !neverSentWith(code)) {
    const message = `no response to ${call} ${why}: it may or may not have taken effect`
    return new ServiceError('outcome_unknown', message, { cause })
  }
  return new ServiceError('unavailable', `the service cannot be reached for ${call} ${why}${words(code)}`, { cause })
}

/** The failure of a stream whose connection ended too early or does not answer any more. */
export function brokenOff({ method, path }: Pick<Called, 'method' | 'path'>, cause: unknown): ServiceError {
  const why = errorCode(cause) ?? 'network error'
  return new ServiceError('unavailable', `the stream of ${method} ${path} broke off (${why})`, { cause })
}

/** `ECONNRESET`, `UND_ERR_HEADERS_TIMEOUT`, …: the code of a network error or of its cause. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return code
  // undici's parser often leaves its code out.
  if (error.name === 'HTTPParserError') return 'NOT_HTTP'
  return error.cause === undefined ? undefined : errorCode(error.cause)
}

/** Whether a request that failed with this code cannot have had an effect: there was no connection to send it on. */
export function neverSentWith(code: string | undefined): boolean {
  return code !== undefined && (neverArrived.has(code) || code.startsWith('PROXY_') || certificateCode.test(code))
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

const certificateCode = /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO$)/

/** A proxy that refuses the caller or the host, in contrast to one that is overloaded or cannot reach the host. */
const refusedByProxy = /^PROXY_STATUS_(?!408|429|5)/

/** Whether the configuration makes a connection impossible: repeating does not help. */
function isMisconfigured(code: string): boolean {
  return certificateCode.test(code) || refusedByProxy.test(code)
}

function misconfigured({ method, path }: Called, cause: unknown, code: string): ServiceError {
  const message = `no secure connection to the service for ${method} ${path} (${code}): ${adviceFor(code, { isSetting: true })}`
  return new ServiceError('misconfigured', message, { cause })
}

/** The same for an address that the deployment named, such as the `upload address`; undefined for any other failure. */
export function misconfiguredAddress(what: string, cause: unknown): ServiceError | undefined {
  const code = errorCode(cause)
  if (code === undefined || !isMisconfigured(code)) return undefined
  const message = `no secure connection to the ${what} (${code}): ${adviceFor(code, { isSetting: false })}`
  return new ServiceError('misconfigured', message, { cause })
}

/** What a failure of the proxy means, as the end of a sentence; empty for any other code. */
export function proxyWords(code: string | undefined): string {
  return code?.startsWith('PROXY_') === true ? words(code) : ''
}

/** `isSetting` says whether the address is that of TRACEGATE_BASE_URL. */
function adviceFor(code: string, { isSetting }: { isSetting: boolean }): string {
  const change = (advice: string) => (isSetting ? `; ${advice}` : '')
  if (refusedByProxy.test(code)) return words(code).slice(2)
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired; its operator has to renew it'
  if (code === 'CERT_NOT_YET_VALID') return 'its certificate is not valid yet; check the clock of this machine'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `its certificate is for another host name${change('check the host in TRACEGATE_BASE_URL')}`
  }
  if (/^(?:UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/.test(code)) {
    return 'no authority known here has issued its certificate; set NODE_EXTRA_CA_CERTS to the file of its authority'
  }
  if (/^(?:ERR_SSL_|EPROTO$)/.test(code)) {
    return `the port may not speak HTTPS${change('check the port in TRACEGATE_BASE_URL, or use http://')}`
  }
  return 'its certificate is refused; its operator has to renew it'
}

/** What a network error means, by its code. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/^PROXY_STATUS_407$/, 'the proxy in HTTPS_PROXY asks for a user name and password; add them to its address'],
  [/^PROXY_STATUS_5/, 'the proxy in HTTPS_PROXY cannot reach the host'],
  [/^PROXY_STATUS_/, 'the proxy in HTTPS_PROXY does not lead to this host; NO_PROXY names hosts to reach directly'],
  [/^PROXY_/, 'the proxy cannot be reached; check HTTPS_PROXY'],
  [/^ENOTFOUND$/, 'the host name is unknown; check TRACEGATE_BASE_URL'],
  [/^EAI_AGAIN$/, 'the name server does not answer'],
  [/^ECONNREFUSED$/, 'nothing listens at the address; check TRACEGATE_BASE_URL'],
  [/^(?:EHOSTUNREACH|ENETUNREACH)$/, 'there is no route to the host'],
  [/TIMEOUT$|^ETIMEDOUT$/, 'it did not answer in time'],
  [
    /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    'the connection was closed; a port that expects HTTPS does this to http://',
  ],
  [/^HPE_|^NOT_HTTP$/, 'its answer is not HTTP; check the port in TRACEGATE_BASE_URL, or use https://'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'the headers of its answer are longer than 16 KiB; a proxy may have added some'],
  [/MISMATCH$|^Z_BUF_ERROR$|^UND_ERR_ABORTED$/, 'its answer was cut off'],
]

function words(code: string | undefined): string {
  const [, meaning] = meanings.find(([pattern]) => code !== undefined && pattern.test(code)) ?? []
  return meaning === undefined ? '' : `: ${meaning}`
}
