import type { LookupAddress } from 'node:dns'
import { Readable } from 'node:stream'
import type { Agent, request } from 'undici'
import type { Send, WireReply, WireRequest } from '../contract/base/wire.ts'
import { ServiceError } from '../errors.ts'
import { errorCode, retryAfter } from './failure.ts'
import { repeat, sleep as realSleep, Transient, type Sleep } from './retry.ts'
import { vettedAddresses, type Lookup } from './upload-address.ts'

/** A presigned address as `createSourceMap` answers it. */
export interface UploadTarget {
  url: string
  /** To be sent exactly as they are. */
  headers: Readonly<Record<string, string>>
}

export interface UploadBody {
  sizeBytes: number
  /** The bytes from the beginning; asked for again when a broken upload is repeated. */
  chunks(): AsyncIterable<Uint8Array>
}

/**
 * Sends bytes to a presigned address with PUT: no token, no redirect (mcp §8.2). `onSent` hears how many bytes are on
 * their way. Rejects with `ServiceError`.
 */
export type Upload = (
  target: UploadTarget,
  body: UploadBody,
  options: { signal: AbortSignal; onSent?: (bytes: number) => void },
) => Promise<void>

export interface UploadOptions {
  /** The configured base address, whose host may be private. */
  baseUrl: string
  /** The embedded service's own `Send`: then nothing goes over the network. */
  send?: Send
  /** Longest wait for the answer, and for the other side to take more; default 60 s. */
  timeoutMs?: number
  /** How often a broken upload is repeated; default 2. */
  retries?: number
  sleep?: Sleep
  lookup?: Lookup
}

const CONNECT_TIMEOUT_MS = 10_000

/** Headers that make another request of it; a presigned address needs none of them. */
const forbiddenHeaders =
  /^(?:authorization|proxy-authorization|cookie|host|connection|transfer-encoding|upgrade|expect|te|trailer)$/

/** The `Upload` of one deployment: over the network to vetted addresses, or straight into the embedded service. */
export function createUpload(options: UploadOptions): Upload {
  const { retries = 2, sleep = realSleep } = options
  return async (target, body, { signal, onSent }) => {
    const url = parseAddress(target.url)
    const headers = uploadHeaders(target.headers, body.sizeBytes)
    const connection = await open(url, options)
    const attempt = async () => {
      const bytes = exactly(body, onSent)
      const reply = await answered(
        () => connection.send({ method: 'PUT', url: url.href, headers, body: bytes, signal }),
        signal,
      )
      judge(reply)
    }
    try {
      await repeat(attempt, { retries, sleep, signal })
    } finally {
      await connection.close()
    }
  }
}

function parseAddress(text: string): URL {
  const url = URL.parse(text)
  if (url !== null) return url
  throw new ServiceError('upstream_shape_unknown', 'the deployment gave no upload address that can be read')
}

function uploadHeaders(given: UploadTarget['headers'], sizeBytes: number): Record<string, string> {
  const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
  if (Object.keys(headers).some((name) => forbiddenHeaders.test(name))) {
    throw new ServiceError('upstream_shape_unknown', 'the deployment asks for a header that uploads do not send')
  }
  return { ...headers, 'content-length': String(sizeBytes) }
}

interface Connection {
  send: Send
  close(): Promise<void>
}

async function open(url: URL, options: UploadOptions): Promise<Connection> {
  const { baseUrl, send, lookup = systemLookup } = options
  if (send === undefined) return connectionTo(await vettedAddresses(url, { baseUrl, lookup }), options)
  if (url.origin === new URL(baseUrl).origin) return { send, close: () => Promise.resolve() }
  throw new ServiceError('upstream_shape_unknown', 'the embedded service named an upload address that is not its own')
}

const systemLookup: Lookup = async (hostname) => {
  const dns = await import('node:dns/promises')
  try {
    return await dns.lookup(hostname, { all: true })
  } catch (cause) {
    throw new ServiceError('unavailable', "the host of the deployment's upload address is not known", { cause })
  }
}

/** Connects to these addresses only, whatever the name may lead to by then. undici is loaded at the first upload. */
async function connectionTo(
  addresses: readonly LookupAddress[],
  { timeoutMs = 60_000 }: UploadOptions,
): Promise<Connection> {
  const { default: undici } = await import('undici')
  const agent = new undici.Agent({
    connections: 1,
    pipelining: 1,
    allowH2: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
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

async function sendWith(
  undici: { request: typeof request },
  agent: Agent,
  { url, headers, body, signal }: WireRequest,
): Promise<WireReply> {
  const reply = await undici.request(url, {
    dispatcher: agent,
    method: 'PUT',
    headers,
    body: body === undefined ? null : Readable.from(body, { objectMode: false }),
    signal: signal ?? null,
  })
  // Nobody reads it: only the status counts.
  await reply.body.dump()
  const wait = reply.headers['retry-after']
  return { status: reply.statusCode, headers: typeof wait === 'string' ? { 'retry-after': wait } : {}, body: '' }
}

/** The bytes, as many as announced: a file that changes meanwhile must not be sent in part. */
async function* exactly(body: UploadBody, onSent?: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body.chunks()) {
    bytes += chunk.byteLength
    if (bytes > body.sizeBytes) break
    yield chunk
    onSent?.(bytes)
  }
  if (bytes === body.sizeBytes) return
  throw new ServiceError('failed_precondition', 'the file changed while it was sent: upload it again')
}

async function answered(exchange: () => Promise<WireReply>, signal: AbortSignal): Promise<WireReply> {
  try {
    return await exchange()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof ServiceError) throw error
    const code = errorCode(error)
    const failure = new ServiceError('unavailable', `the upload broke off (${code ?? 'network error'})`, {
      cause: error,
    })
    throw code === undefined ? failure : new Transient(failure)
  }
}

/** Throws what a status other than 2xx means for an upload. A presigned PUT may always be repeated. */
function judge({ status, headers }: WireReply): void {
  if (status >= 200 && status < 300) return
  const wait = retryAfter(headers['retry-after'], Date.now())
  const failure = uploadFailure(status, wait)
  throw status === 408 || status === 429 || (status >= 500 && status !== 501) ? new Transient(failure) : failure
}

function uploadFailure(status: number, retryAfterSeconds: number | undefined): ServiceError {
  const answer = `the upload was answered ${String(status)}`
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  if (status < 400) {
    return new ServiceError('upstream_shape_unknown', `${answer}: a redirect, which is not followed`)
  }
  switch (status) {
    case 401:
    case 403:
      return new ServiceError(
        'failed_precondition',
        `${answer}: its address has expired or was made for other bytes; start the upload again`,
        { reason: 'UPLOAD_REFUSED' },
      )
    case 404:
    case 410:
      return new ServiceError('not_found', `${answer}: its address is gone; start the upload again`)
    case 409:
      return new ServiceError('aborted', `${answer}: it has been confirmed already`)
    case 413:
      return new ServiceError('payload_too_large', `${answer}: it is larger than the deployment takes`)
    case 429:
      return new ServiceError('resource_exhausted', answer, details)
    default:
      return status >= 500 || status === 408
        ? new ServiceError('unavailable', answer, details)
        : new ServiceError('failed_precondition', `${answer}: the storage refuses it`, { reason: 'UPLOAD_REFUSED' })
  }
}
