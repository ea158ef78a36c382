import { ServiceError } from '../../../errors.ts'
import type { NormalEvent } from '../event/event.ts'
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

export interface ReadBatch {
  events: NormalEvent[]
  /** Why the other payloads are not events, in their order. */
  refused: ServiceError[]
}

/**
 * The normalised events of a batch. Transactions are dropped silently; a payload that is too large or not a JSON object
 * is refused without affecting the others. Each event is a separate piece of work for `pace`.
 */
export async function readBatch(
  batch: Batch,
  { maxBytes, newId, pace }: { maxBytes: number; newId: () => string; pace: Pace },
): Promise<ReadBatch> {
  const refused: ServiceError[] = []
  const read: { payload: JsonObject; sizeBytes: number }[] = []
  for (const [index, bytes] of batch.payloads.entries()) {
    const payload = await pace(() => readPayload(bytes, `event ${index + 1}`, maxBytes))
    if (payload instanceof ServiceError) refused.push(payload)
    else if (payload.type !== 'transaction') read.push({ payload, sizeBytes: bytes.length })
  }
  const own = read.map(({ payload }) => payload.event_id)
  const ids = assignEventIds(batch.header.event_id, own, () => newId().replaceAll('-', ''))
  const { receivedAt, header } = batch
  const facts = { receivedAt, sentAt: header.sent_at, sdk: header.sdk ?? sdkOfClient(batch.client) }
  const events: NormalEvent[] = []
  for (const [index, { payload, sizeBytes }] of read.entries()) {
    // One id was assigned per payload.
    const eventId = ids[index] as string
    events.push(await pace(() => normalise(payload, { ...facts, sizeBytes, eventId })))
  }
  return { events, refused }
}

/** One failure for the request, with the status of the first and the reasons of all. */
export function joinRefusals(refused: readonly [ServiceError, ...ServiceError[]]): ServiceError {
  const [first] = refused
  return new ServiceError(first.code, first.message, { violations: refused.flatMap(({ violations }) => violations) })
}

function readPayload(bytes: Buffer, name: string, maxBytes: number): JsonObject | ServiceError {
  if (bytes.length > maxBytes) return refuse('payload_too_large', name, `larger than ${maxBytes} bytes`)
  return parseObject(bytes.toString('utf8')) ?? refuse('invalid_argument', name, 'not a JSON object')
}

function refuse(code: 'payload_too_large' | 'invalid_argument', name: string, why: string): ServiceError {
  return new ServiceError(code, `${name} is ${why}`, { violations: [{ field: name, description: why }] })
}

/** `sentry.python/1.9.10` as name and version. */
function sdkOfClient(client: string | undefined): { name: string; version: string } | undefined {
  const [name, version] = client?.split('/', 2) ?? []
  return name ? { name, version: version ?? '' } : undefined
}
