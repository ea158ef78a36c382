import type { WireReply } from '../contract/base/wire.ts'
import { ServiceError } from '../errors.ts'
import type { Budget } from './budget.ts'
import { untilAborted } from './exchange.ts'
import { retryAfter, sentAt } from './failure.ts'
import { errorCode, misconfiguredAddress, proxyWords } from './network-failure.ts'
import { openOutgoing, type OutgoingOptions } from './outgoing.ts'
import { repeat, sleep as realSleep, Transient, type Sleep } from './retry.ts'

/** A presigned address as returned by `createSourceMap`. */
export interface UploadTarget {
  url: string
  /** Must be sent unchanged. */
  headers: Readonly<Record<string, string>>
}

export interface UploadBody {
  sizeBytes: number
  /** The bytes from the beginning; called again when a failed upload is retried. */
  chunks(): AsyncIterable<Uint8Array>
}

/**
 * Sends bytes to a presigned address with PUT, without a token and without following redirects (mcp §8.2). `onSent`
 * receives the number of bytes sent so far. Rejects with `ServiceError`.
 */
export type Upload = (
  target: UploadTarget,
  body: UploadBody,
  options: { signal: AbortSignal; onSent?: (bytes: number) => void; budget?: Budget },
) => Promise<void>

export interface UploadOptions extends OutgoingOptions {
  /** How often a failed upload is retried; default 2. */
  retries?: number
  sleep?: Sleep
}

/** Headers that would change the meaning of the request or of its connection; a presigned address needs none of them. */
const forbiddenHeaders =
  /^(?:authorization|proxy-authorization|proxy-connection|cookie|host|connection|keep-alive|transfer-encoding|upgrade|expect|te|trailer)$/
/** What a name and a value may consist of (RFC 9110 §5). */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/
const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

/** The `Upload` of one deployment: over the network to vetted addresses, or straight into the embedded service. */
export function createUpload(options: UploadOptions): Upload {
  const { retries = 2, sleep = realSleep } = options
  return async (target, body, { signal, onSent, budget }) => {
    const url = parseAddress(target.url)
    const headers = uploadHeaders(target.headers, body.sizeBytes)
    const connection = await openOutgoing(url, 'upload address', options)
    const attempt = async () => {
      const bytes = exactly(body, { signal, onSent })
      const reply = await answered(
        () => connection.send({ method: 'PUT', url: url.href, headers, body: bytes, signal }),
        { signal, budget },
      )
      judge(reply)
    }
    try {
      await repeat(attempt, { retries, sleep, signal, budget, request: 'the upload' })
    } finally {
      await connection.close()
    }
  }
}

function parseAddress(text: string): URL {
  const url = URL.parse(text)
  if (url !== null) return url
  throw new ServiceError('upstream_shape_unknown', 'the deployment returned an invalid upload address')
}

function uploadHeaders(given: UploadTarget['headers'], sizeBytes: number): Record<string, string> {
  const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
  const isUnfit = ([name, value]: [string, string]) =>
    forbiddenHeaders.test(name) || !headerName.test(name) || !headerValue.test(value)
  if (Object.entries(headers).some(isUnfit)) {
    throw new ServiceError('upstream_shape_unknown', 'the deployment requires a header that uploads never send')
  }
  return { ...headers, 'content-length': String(sizeBytes) }
}

interface Sending {
  signal: AbortSignal
  onSent?: ((bytes: number) => void) | undefined
}

/** The bytes, exactly as many as announced: a file that changes during the upload must not be sent in part. */
async function* exactly(body: UploadBody, { signal, onSent }: Sending): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body.chunks()) {
    signal.throwIfAborted()
    bytes += chunk.byteLength
    if (bytes > body.sizeBytes) break
    yield chunk
    onSent?.(bytes)
  }
  if (bytes === body.sizeBytes) return
  throw new ServiceError('failed_precondition', 'the file changed during the upload: upload it again')
}

async function answered(
  exchange: () => Promise<WireReply>,
  { signal, budget }: { signal: AbortSignal; budget: Budget | undefined },
): Promise<WireReply> {
  try {
    return await untilAborted(exchange(), signal)
  } catch (error) {
    if (budget?.isOver() === true) throw tooSlow(budget)
    if (signal.aborted) throw signal.reason
    if (error instanceof ServiceError) throw error
    const misconfigured = misconfiguredAddress('upload address', error)
    if (misconfigured !== undefined) throw misconfigured
    const code = errorCode(error)
    const message = `the upload failed (${code ?? 'network error'})${proxyWords(code)}`
    const failure = new ServiceError('unavailable', message, { cause: error })
    throw code === undefined ? failure : new Transient(failure)
  }
}

function tooSlow({ words }: Budget): ServiceError {
  const instead = 'upload it with: tracegate sourcemaps upload'
  return new ServiceError('unavailable', `the upload did not end within the ${words} of this call; ${instead}`)
}

/** Throws the failure that a status other than 2xx means for an upload. A presigned PUT can always be repeated. */
function judge({ status, headers }: WireReply): void {
  if (status >= 200 && status < 300) return
  const wait = retryAfter(headers['retry-after'], sentAt(headers, Date.now()))
  const failure = uploadFailure(status, wait)
  throw isTransient(status) ? new Transient(failure) : failure
}

function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501)
}

function uploadFailure(status: number, retryAfterSeconds: number | undefined): ServiceError {
  const answer = `the upload failed with status ${String(status)}`
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  if (status < 400) {
    return new ServiceError('upstream_shape_unknown', `${answer}: a redirect, which is not followed`)
  }
  switch (status) {
    case 401:
    case 403:
      return new ServiceError(
        'failed_precondition',
        `${answer}: the address has expired or was signed for other content; start the upload again`,
        { reason: 'UPLOAD_REFUSED' },
      )
    case 404:
    case 410:
      return new ServiceError('not_found', `${answer}: the address no longer exists; start the upload again`)
    case 409:
      return new ServiceError('aborted', `${answer}: it has already been confirmed`)
    case 413:
      return new ServiceError('payload_too_large', `${answer}: it is larger than the deployment allows`)
    case 429:
      return new ServiceError('resource_exhausted', answer, details)
    default:
      return status >= 500 || status === 408 || status === 425
        ? new ServiceError('unavailable', answer, details)
        : new ServiceError('failed_precondition', `${answer}: the storage refused it`, { reason: 'UPLOAD_REFUSED' })
  }
}
