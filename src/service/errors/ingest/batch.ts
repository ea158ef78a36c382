import { ServiceError } from '../../../errors.ts'
import type { NormalEvent } from '../event/event.ts'
import { madeEventId } from '../event/sdk-event-id.ts'
import { assignEventIds } from './event-id.ts'
import { parseObject } from './json.ts'
import type { JsonObject } from '../../../lib/objects.ts'
import { normalise } from './normalise/index.ts'
import type { Pace } from '../../shared/pace.ts'

/** The event payloads of one request, with the envelope header. */
export interface Batch {
  payloads: readonly Buffer[]
  /** Envelope header; `{}` for `/store/`. */
  header: JsonObject
  /** SDK that the request's authentication names. */
  client?: string | undefined
  receivedAt: number
}

export interface ReadBatch<T> {
  /** What was made of each event, in their order. */
  taken: T[]
  /** Why the other payloads are not events, in their order. */
  refused: ServiceError[]
}

export interface ReadingOptions {
  /** Of one event. */
  maxBytes: number
  newId: () => string
  pace: Pace
}

/**
 * Gives the normalised events of a batch to `take`, each when it is done with the one before: an event may take fifty times
 * its bytes in memory. Transactions are dropped silently; a payload that is too large or not a JSON object is refused
 * without affecting the others. Each event is a separate piece of work for `pace`.
 */
export async function readBatch<T>(
  batch: Batch,
  { maxBytes, newId, pace }: ReadingOptions,
  take: (event: NormalEvent) => Promise<T>,
): Promise<ReadBatch<T>> {
  const { found, refused } = await findEvents(batch, { maxBytes, pace })
  const own = found.map(({ ownId }) => ownId)
  const ids = assignEventIds(batch.header.event_id, own, () => newId().replaceAll('-', ''))
  const { receivedAt, header } = batch
  const facts = { receivedAt, sentAt: header.sent_at, sdk: header.sdk ?? sdkOfClient(batch.client) }
  const taken: T[] = []
  for (const [index, { bytes, payload }] of found.entries()) {
    // One id was assigned per event, and what is parsed again was an object before.
    const known = { ...facts, sizeBytes: bytes.length, eventId: ids[index] as string }
    const event = pace(() => normalise(payload ?? (parse(bytes) as JsonObject), known))
    taken.push(await event.then(take))
  }
  return { taken, refused }
}

/** Characters of an id. */
const LONGEST_ID = 200

/** A payload that is an event. */
interface FoundEvent {
  bytes: Buffer
  ownId: string | undefined
  /** Undefined where it takes too much memory until its turn comes. */
  payload: JsonObject | undefined
}

/** The events among payloads. Those stay parsed that together are as large as one may be: nearly always all. */
async function findEvents({ payloads }: Batch, { maxBytes, pace }: Pick<ReadingOptions, 'maxBytes' | 'pace'>) {
  const found: FoundEvent[] = []
  const refused: ServiceError[] = []
  let left = maxBytes
  for (const [index, bytes] of payloads.entries()) {
    const keeps = bytes.length <= left
    if (keeps) left -= bytes.length
    const one = await pace(() => findEvent(bytes, `event ${index + 1}`, { maxBytes, keeps }))
    if (one instanceof ServiceError) refused.push(one)
    else if (one !== undefined) found.push(one)
  }
  return { found, refused }
}

/** Undefined for a transaction. */
function findEvent(
  bytes: Buffer,
  name: string,
  { maxBytes, keeps }: { maxBytes: number; keeps: boolean },
): FoundEvent | ServiceError | undefined {
  if (bytes.length > maxBytes) return refuse('payload_too_large', name, `larger than ${maxBytes} bytes`)
  const payload = parse(bytes)
  if (payload === undefined) return refuse('invalid_argument', name, 'not a JSON object')
  if (payload.type === 'transaction') return undefined
  return { bytes, ownId: shortId(payload.event_id), payload: keeps ? payload : undefined }
}

/** An id as it was sent, or a short one made of it when it is very long: it is kept while other payloads are read. */
function shortId(id: unknown): string | undefined {
  return typeof id === 'string' && id.length <= LONGEST_ID ? id : madeEventId(id)
}

function parse(bytes: Buffer): JsonObject | undefined {
  return parseObject(bytes.toString('utf8'))
}

/** One failure for the request, with the status of the first and the reasons of all. */
export function joinRefusals(refused: readonly [ServiceError, ...ServiceError[]]): ServiceError {
  const [first] = refused
  return new ServiceError(first.code, first.message, { violations: refused.flatMap(({ violations }) => violations) })
}

function refuse(code: 'payload_too_large' | 'invalid_argument', name: string, why: string): ServiceError {
  return new ServiceError(code, `${name} is ${why}`, { violations: [{ field: name, description: why }] })
}

/** `sentry.python/1.9.10` as name and version. */
function sdkOfClient(client: string | undefined): { name: string; version: string } | undefined {
  const [name, version] = client?.split('/', 2) ?? []
  return name ? { name, version: version ?? '' } : undefined
}
