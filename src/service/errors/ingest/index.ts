import type { Send, WireReply, WireRequest } from '../../../contract/base/wire.ts'
import { ServiceError } from '../../../errors.ts'
import type { Platform } from '../../shared/context.ts'
import { createPace, type Pace } from '../../shared/pace.ts'
import { oneKey, readDsn, requestClient, requestKey } from './auth.ts'
import { joinRefusals, readBatch } from './batch.ts'
import { readBody } from '../../shared/read-body.ts'
import { readClientReports } from './client-report.ts'
import { decodeBody } from './decode.ts'
import { parseEnvelope } from './envelope.ts'
import type { EventStore } from '../event/event-store.ts'
import type { JsonObject } from '../../../lib/objects.ts'
import type { DsnKey, Keys } from './keys.ts'
import { defaultLimits, type IngestLimits } from './limits.ts'
import { createRateLimit, type RateLimit } from '../../../lib/token-bucket.ts'
import { answer, preflight, refusal } from './replies.ts'
import { storeText } from './store-body.ts'

export interface IngestOptions {
  store: EventStore
  keys: Keys
  platform: Platform
  limits?: Partial<IngestLimits>
  /** Called with every bug that was answered with 500, and with every 503. */
  onError?: (error: unknown) => void
}

interface Ingest extends Omit<IngestOptions, 'limits'> {
  limits: IngestLimits
  rateLimit: RateLimit
  /** For reading events. */
  pace: Pace
}

interface IngestRequest {
  request: WireRequest
  query: URLSearchParams
  /** As written in the address. */
  productId: string
}

/** A key that was found and belongs to the product of the address. */
interface Admission extends DsnKey {
  publicKey: string
}

/**
 * The ingest surface (contract §12) for every path under `/api`: envelopes and events of the specification's clients and
 * of Sentry's SDKs. Never rejects; 200 means that the events are on disk.
 */
export function createIngest({ limits: changed, ...options }: IngestOptions): Send {
  const limits = { ...defaultLimits, ...changed }
  const rateLimit = createRateLimit({ now: () => options.platform.now() })
  const ingest: Ingest = { ...options, limits, rateLimit, pace: createPace() }
  return async (request) => {
    try {
      return await dispatch(request, ingest)
    } catch (error) {
      if (isFault(error)) options.onError?.(error)
      return refusal(error)
    }
  }
}

/** Our failure and not the sender's: a request with an unsupported method is also answered 501. */
function isFault(error: unknown): boolean {
  return !(error instanceof ServiceError) || (error.status >= 500 && error.code !== 'unimplemented')
}

async function dispatch(request: WireRequest, ingest: Ingest): Promise<WireReply> {
  const url = URL.parse(request.url, 'http://localhost')
  // Sentry's command line tools ask here whether the server is a Sentry server.
  if (url && /^\/+api\/+0\/*$/.test(url.pathname)) return answerMethod(request, 'GET', () => answer(200, {}))
  const path = url && /^\/+api\/+([^/]+)\/+(envelope|store|security)\/*$/.exec(url.pathname)
  const [, productId, endpoint] = path ?? []
  if (!url || !productId || !endpoint) throw new ServiceError('not_found', 'no such path on the ingest surface')
  const incoming = { request, query: url.searchParams, productId }
  return await answerMethod(request, 'POST', () => {
    // Reports of browser policies are accepted and dropped.
    if (endpoint === 'security') return answer(200, {})
    const isEnvelope = endpoint === 'envelope' || /envelope/i.test(request.headers['content-type'] ?? '')
    return isEnvelope ? takeEnvelope(incoming, ingest) : takeEvent(incoming, ingest)
  })
}

function answerMethod<T>({ method }: WireRequest, allowed: string, run: () => T): T | WireReply {
  if (method === 'OPTIONS') return preflight()
  if (method !== allowed) throw new ServiceError('unimplemented', `this path takes only ${allowed}`)
  return run()
}

async function takeEnvelope(incoming: IngestRequest, ingest: Ingest): Promise<WireReply> {
  const { limits, store } = ingest
  const key = requestKey(incoming.request, incoming.query)
  // Before the body is read, so that only requests with a valid key cost work; a tunnel's key is in the body.
  const early = key === undefined ? undefined : await admit(key, incoming, ingest)
  const envelope = parseEnvelope(await readDecoded(incoming, limits), limits)
  const admission = early ?? (await admitByDsn(envelope.header, incoming, ingest))
  checkDsn(envelope.header, admission)
  const selectPayloads = (type: string) =>
    envelope.items.filter((item) => item.type === type).map(({ payload }) => payload)
  const drops = readClientReports(selectPayloads('client_report'))
  if (drops.length > 0) await store.recordDropped(admission.productId, drops)
  return await takeBatch(selectPayloads('event'), envelope.header, admission, incoming, ingest)
}

async function takeEvent(incoming: IngestRequest, ingest: Ingest): Promise<WireReply> {
  const admission = await admit(requestKey(incoming.request, incoming.query), incoming, ingest)
  const payload = await storeText(await readDecoded(incoming, ingest.limits), ingest.limits)
  return await takeBatch([payload], {}, admission, incoming, ingest)
}

/** Charges, reads and stores the events; good ones are stored even when others are refused. */
async function takeBatch(
  payloads: readonly Buffer[],
  header: JsonObject,
  { publicKey, productId, ratePerSecond, burst }: Admission,
  { request, query }: IngestRequest,
  { limits, platform, rateLimit, pace, store }: Ingest,
): Promise<WireReply> {
  const rate = { perSecond: ratePerSecond ?? limits.eventsPerSecond, burst: burst ?? limits.burst }
  const wait = rateLimit(publicKey, payloads.length, rate)
  if (wait > 0)
    throw new ServiceError('resource_exhausted', 'too many events for this key', { retryAfterSeconds: wait })
  const batch = { payloads, header, client: requestClient(request, query), receivedAt: platform.now() }
  const reading = { maxBytes: limits.eventBytes, newId: () => platform.newId(), pace }
  const { events, refused } = await readBatch(batch, reading)
  // Concurrently, so that they share commits; if the sender repeats the request after a failure, events that were
  // stored change nothing.
  await Promise.all(events.map((event) => store.append(productId, event)))
  const [first, ...rest] = refused
  if (first) throw joinRefusals([first, ...rest])
  const [event] = events
  return answer(200, event ? { id: event.sdk_event_id } : {})
}

async function readDecoded({ request }: IngestRequest, limits: IngestLimits): Promise<Buffer> {
  const limit = limits.bodyBytes
  const body = await readBody(request, limit, {
    tooLarge: () => new ServiceError('payload_too_large', `the request body is larger than ${limit} bytes`),
    incomplete: (cause) => new ServiceError('invalid_argument', 'the request body ended early', { cause }),
  })
  return await decodeBody(body, request.headers['content-encoding'], limits.decodedBytes)
}

/** The key first, then the product: without a valid key, callers do not learn which products exist. */
async function admit(
  publicKey: string | undefined,
  { productId }: IngestRequest,
  { keys }: Ingest,
): Promise<Admission> {
  if (publicKey === undefined) throw new ServiceError('unauthenticated', 'the request carries no key')
  const key = await keys.find(publicKey)
  if (!key) throw new ServiceError('unauthenticated', 'the key is unknown or revoked')
  if (String(key.productId) !== productId)
    throw new ServiceError('invalid_argument', 'the address names another product than the one of the key')
  return { ...key, publicKey }
}

async function admitByDsn(header: JsonObject, incoming: IngestRequest, ingest: Ingest): Promise<Admission> {
  return await admit(readDsn(header.dsn)?.publicKey, incoming, ingest)
}

/** A DSN in the envelope header must match the key and product of the request. */
function checkDsn(header: JsonObject, { publicKey, productId }: Admission): void {
  const dsn = readDsn(header.dsn)
  if (!dsn) return
  oneKey([publicKey, dsn.publicKey])
  if (dsn.productId !== String(productId))
    throw new ServiceError('invalid_argument', 'the dsn of the envelope names another product than the address')
}
