import { setTimeout as sleep } from 'node:timers/promises'
import type { Send, WireReply, WireRequest } from '../../../contract/base/wire.ts'
import { ServiceError, type FailureCode } from '../../../errors.ts'
import { oneKey, readDsn, requestClient, requestKey } from './auth.ts'
import { createAddresses, type ReadAddress } from './address.ts'
import { createAppend, type AppendBatch, type AppendOptions } from './append.ts'
import { joinRefusals } from './batch.ts'
import { readDecoded, readEnvelope, type ReadingCosts } from './body.ts'
import { createBudget, type Budget } from './budget.ts'
import { readClientReports } from './client-report.ts'
import type { JsonObject } from '../../../lib/objects.ts'
import type { DsnKey, Keys } from './keys.ts'
import { createRateLimit, type RateLimit } from '../../../lib/token-bucket.ts'
import { defaultLimits, type IngestLimits } from './limits.ts'
import { createIntake, type Hold, type Intake } from '../../../lib/intake.ts'
import { answer, preflight, refusal } from './replies.ts'
import { storeText } from './store-body.ts'

export interface IngestOptions extends Omit<AppendOptions, 'limits'> {
  keys: Keys
  limits?: Partial<IngestLimits>
  /** Makes the rate limit of a name; by default one of this process alone. */
  rateLimit?: (name: string) => RateLimit
  /** Called with every bug that was answered with 500, and with every 503. */
  onError?: (error: unknown) => void
  /**
   * Called with a refusal that no later request avoids: SDKs drop the event and say nothing. At most once a minute for each
   * code.
   */
  onRefused?: (error: ServiceError) => void
  /** Counts requests and events, for metrics. */
  counts?: IngestCounts | undefined
}

export interface IngestCounts {
  /** What became of a request that sends something. */
  answered(this: void, outcome: 'ok' | FailureCode): void
  /** So many events are on disk. */
  stored(this: void, events: number): void
}

export interface Ingest {
  send: Send
  /** Bytes of events that are not on disk yet. */
  waitingBytes(this: void): number
}

interface Parts extends Omit<IngestOptions, 'limits' | 'rateLimit'> {
  limits: IngestLimits
  readAddress: ReadAddress
  budget: Budget
  intake: Intake
  append: AppendBatch
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
 * of Sentry's SDKs. `send` never rejects; 200 means that the events are on disk.
 */
export function createIngest({ limits: changed, rateLimit, ...options }: IngestOptions): Ingest {
  const limits = { ...defaultLimits, ...changed }
  const budget = createBudget(limits, rateLimit ?? (() => createRateLimit({ now: () => options.platform.now() })))
  const append = createAppend({ ...options, limits })
  const intake = createIntake(limits.intake)
  const ingest: Parts = { ...options, limits, readAddress: createAddresses(), budget, intake, append }
  const delay = createDelay(limits.refusalDelayMs)
  const toldAt = new Map<FailureCode, number>()

  function tellRefused(error: ServiceError): void {
    const now = options.platform.now()
    if (!lasting.has(error.code) || Math.abs(now - (toldAt.get(error.code) ?? -Infinity)) < TELL_EVERY_MS) return
    toldAt.set(error.code, now)
    options.onRefused?.(error)
  }

  async function send(request: WireRequest): Promise<WireReply> {
    const count = request.method === 'POST' ? options.counts?.answered : undefined
    try {
      const reply = await dispatch(request, ingest)
      count?.('ok')
      return reply
    } catch (error) {
      count?.(error instanceof ServiceError ? error.code : 'internal')
      if (isFault(error)) options.onError?.(error)
      if (error instanceof ServiceError && request.method === 'POST') tellRefused(error)
      if (error instanceof ServiceError && error.code === 'resource_exhausted') await delay()
      return refusal(error)
    }
  }
  return { send, waitingBytes: append.waitingBytes }
}

/** A wrong key, a wrong address or body, or too much of it: a mistake that stays until somebody corrects it. */
const lasting: ReadonlySet<FailureCode> = new Set(['unauthenticated', 'invalid_argument', 'payload_too_large'])

/** Between two calls of `onRefused` with one code: whoever reaches the port could fill the log. */
const TELL_EVERY_MS = 60_000

/** Refusals that wait at the same time; beyond them they are answered at once. */
const MOST_DELAYED = 500

/** Waits before a refusal, so that a sender who does not wait by itself cannot ask again at once. */
function createDelay(ms: number): () => Promise<void> {
  let delayed = 0
  return async () => {
    if (ms === 0 || delayed >= MOST_DELAYED) return
    delayed += 1
    await sleep(ms)
    delayed -= 1
  }
}

/** Our failure and not the sender's: a request with an unsupported method is also answered 501. */
function isFault(error: unknown): boolean {
  return !(error instanceof ServiceError) || (error.status >= 500 && error.code !== 'unimplemented')
}

async function dispatch(request: WireRequest, ingest: Parts): Promise<WireReply> {
  const address = ingest.readAddress(request.url)
  if (address === undefined) throw new ServiceError('not_found', 'no such path on the ingest surface')
  const { productId, query, endpoint } = address
  // Sentry's command line tools ask here whether the server is a Sentry server.
  if (endpoint === 'root') return answerMethod(request, 'GET', () => answer(200, {}))
  const incoming = { request, query, productId }
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

async function takeEnvelope(incoming: IngestRequest, ingest: Parts): Promise<WireReply> {
  const key = requestKey(incoming.request, incoming.query)
  // Before the body is read, so that only requests with a valid key cost work; a tunnel's key is in the body.
  let charged = key === undefined ? undefined : await admit(key, incoming, ingest)
  return await holding(ingest.intake, charged, async (hold) => {
    const charge = (bytes: number) => charged && ingest.budget(charged, 'bytes', bytes)
    const costs = { limits: ingest.limits, hold, charge }
    const { header, items, admission } = await readEnvelope(incoming.request, costs, async (read) => {
      charged ??= await admit(readDsn(read.dsn)?.publicKey, incoming, ingest)
      checkDsn(read, charged)
      return charged
    })
    const select = (type: string) => items.filter((item) => item.type === type).map(({ payload }) => payload)
    const events = select('event')
    if (events.length === 0) ingest.budget(admission, 'others', 1)
    const drops = readClientReports(select('client_report'), ingest.limits.reportBytes)
    if (drops.length > 0) ingest.store.recordDropped(admission.productId, drops)
    return await takeBatch(events, header, admission, incoming, ingest)
  })
}

async function takeEvent(incoming: IngestRequest, ingest: Parts): Promise<WireReply> {
  const { limits, budget, intake } = ingest
  const admission = await admit(requestKey(incoming.request, incoming.query), incoming, ingest)
  return await holding(intake, admission, async (hold) => {
    const costs: ReadingCosts = { limits, hold, charge: (bytes) => budget(admission, 'bytes', bytes) }
    const payload = await storeText(await readDecoded(incoming.request, costs), costs)
    return await takeBatch([payload], {}, admission, incoming, ingest)
  })
}

/** Counts the memory of a request until it is answered. */
async function holding<T>(
  intake: Intake,
  admission: Admission | undefined,
  work: (hold: Hold) => Promise<T>,
): Promise<T> {
  const hold = intake.hold(admission?.publicKey ?? '')
  try {
    return await work(hold)
  } finally {
    hold.release()
  }
}

/** Charges, reads and stores the events; good ones are stored even when others are refused. */
async function takeBatch(
  payloads: readonly Buffer[],
  header: JsonObject,
  admission: Admission,
  { request, query }: IngestRequest,
  { platform, budget, append, counts }: Parts,
): Promise<WireReply> {
  budget(admission, 'events', payloads.length)
  const batch = { payloads, header, client: requestClient(request, query), receivedAt: platform.now() }
  const { ids, refused } = await append(batch, { productId: admission.productId, vouched: admission.vouches })
  counts?.stored(ids.length)
  const [first, ...rest] = refused
  if (first) throw joinRefusals([first, ...rest])
  const [id] = ids
  return answer(200, id === undefined ? {} : { id })
}

/** The key first, then the product: without a valid key, callers do not learn which products exist. */
async function admit(
  publicKey: string | undefined,
  { productId }: IngestRequest,
  { keys, budget }: Parts,
): Promise<Admission> {
  if (publicKey === undefined) throw new ServiceError('unauthenticated', 'the request carries no key')
  const key = await keys.find(publicKey)
  if (!key) throw new ServiceError('unauthenticated', 'the key is unknown or revoked')
  if (String(key.productId) !== productId)
    throw new ServiceError('invalid_argument', 'the address names another product than the one of the key')
  const admission = { ...key, publicKey }
  budget(admission, 'requests', 1)
  // Before the body is read: a key that owes bytes gets none read.
  budget(admission, 'bytes', 1)
  return admission
}

/** A DSN in the envelope header must match the key and product of the request. */
function checkDsn(header: JsonObject, { publicKey, productId }: Admission): void {
  const dsn = readDsn(header.dsn)
  if (!dsn) return
  oneKey([publicKey, dsn.publicKey])
  if (dsn.productId !== String(productId))
    throw new ServiceError('invalid_argument', 'the dsn of the envelope names another product than the address')
}
