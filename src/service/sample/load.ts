import { isObject, type JsonObject } from '../../lib/objects.ts'
import { formatEnvelope, mapEvents, parseEnvelope } from './envelope.ts'
import { placeholderKey, placeholderProduct, readRecording, type RecordedRequest, unfold } from './recording.ts'

export { sampleComponents, sampleEnvironments, sampleProduct, sampleReleases } from './product.ts'
export { loadQuality } from './quality.ts'
export { forgottenMaps, sampleBundles } from './source-maps.ts'

/** One ingest request; `url` is path and query. */
export interface IngestRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: Uint8Array
}

export interface LoadOptions {
  /** Sends one ingest request (the real ingest; no socket needed). */
  send(request: IngestRequest): Promise<{ status: number; body: string }>
  productId: string
  /** DSN keys: the public one for what pages send, the server one for the rest. */
  keys: { public: string; server: string }
  /**
   * Marks the issue that holds the occurrence with this SDK event id as resolved, as a person did before the
   * regression.
   */
  resolveIssueOf(sdkEventId: string): Promise<void>
  /** Epoch milliseconds; the newest event happens then. */
  now: number
  /** Called after each request with the number of events sent so far and in all. */
  onProgress?(done: number, total: number): void
}

export interface LoadedSample {
  envelopes: number
  events: number
}

/**
 * Sends the recorded crashes of the sample shop through the ingest, oldest first, as if they had happened until now.
 */
export async function loadSample(options: LoadOptions): Promise<LoadedSample> {
  const lines = unfold(await readRecording())
  const total = lines.reduce((sum, line) => sum + ('body' in line ? eventsIn(line.body) : 0), 0)
  const loaded = { envelopes: 0, events: 0 }
  for (const line of lines) {
    if ('resolve' in line) await options.resolveIssueOf(line.resolve)
    else {
      await sendOne(readdress(line, { ...options, publicKey: keyFor(line, options) }), options)
      loaded.events += eventsIn(line.body)
      loaded.envelopes += 1
      options.onProgress?.(loaded.events, total)
    }
  }
  return loaded
}

function eventsIn(envelope: string): number {
  return parseEnvelope(envelope).items.filter(({ header }) => header.type === 'event').length
}

async function sendOne({ path, headers, body }: RecordedRequest, options: LoadOptions): Promise<void> {
  const request = { method: 'POST', url: path, headers, body: new TextEncoder().encode(body) }
  const { status, body: answer } = await options.send(request)
  if (status !== 200) throw new Error(`the ingest answered ${status} to a recorded envelope of the sample: ${answer}`)
}

function keyFor({ path }: RecordedRequest, { keys }: Pick<LoadOptions, 'keys'>): string {
  return path.includes('sentry_client=sentry.javascript.browser') ? keys.public : keys.server
}

/** A recorded request as the SDK would send it to this product: with its key and id, and the times moved up to now. */
export function readdress(
  recorded: RecordedRequest,
  { productId, publicKey, now }: Pick<LoadOptions, 'productId' | 'now'> & { publicKey: string },
): RecordedRequest {
  const path = recorded.path
    .replace(`/api/${placeholderProduct}/`, `/api/${productId}/`)
    .replaceAll(placeholderKey, publicKey)
  const envelope = parseEnvelope(recorded.body.replaceAll(placeholderKey, publicKey))
  const { dsn } = envelope.header
  const header = {
    ...envelope.header,
    ...(typeof dsn === 'string' && { dsn: dsn.replace(/\/[^/]*$/, `/${productId}`) }),
    // With any other time the ingest would assume that the SDK's clock is wrong, and correct it.
    sent_at: new Date(now).toISOString(),
  }
  const { items } = mapEvents(envelope, (event) => moveEvent(event, now + recorded.offset_ms))
  return { ...recorded, path, body: formatEnvelope({ header, items }) }
}

/** Moves an event in time, with all the times inside it. */
function moveEvent(event: JsonObject, toMs: number): JsonObject {
  const byMs = toMs - epochSeconds(event['timestamp']) * 1000
  const moved = { ...event, timestamp: toMs / 1000 }
  return {
    ...moved,
    ...(typeof event['start_timestamp'] === 'number' && {
      start_timestamp: moveSeconds(event['start_timestamp'], byMs),
    }),
    ...(Array.isArray(event['breadcrumbs']) && {
      breadcrumbs: event['breadcrumbs'].map((crumb) => moveCrumb(crumb, byMs)),
    }),
    ...(isObject(event['contexts']) && { contexts: moveContexts(event['contexts'], byMs) }),
  }
}

function moveCrumb(crumb: unknown, byMs: number): unknown {
  if (!isObject(crumb) || typeof crumb['timestamp'] !== 'number') return crumb
  return { ...crumb, timestamp: moveSeconds(crumb['timestamp'], byMs) }
}

/** The process started before it crashed. */
function moveContexts(contexts: JsonObject, byMs: number): JsonObject {
  const { app } = contexts
  if (!isObject(app) || typeof app['app_start_time'] !== 'string') return contexts
  const started = new Date(Date.parse(app['app_start_time']) + byMs).toISOString()
  return { ...contexts, app: { ...app, app_start_time: started } }
}

function moveSeconds(seconds: number, byMs: number): number {
  return Math.round(seconds * 1000 + byMs) / 1000
}

function epochSeconds(timestamp: unknown): number {
  if (typeof timestamp === 'number') return timestamp
  throw new Error('a recorded event has no timestamp; record the sample again')
}
