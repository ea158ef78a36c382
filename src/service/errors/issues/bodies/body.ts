import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { isObject, type JsonObject } from '../../../../lib/objects.ts'
import type { NormalEvent } from '../../event/event.ts'
import { normalise } from '../../ingest/normalise/index.ts'

export type StoredEvent = Omit<NormalEvent, 'raw_payload' | 'drift'>

export interface UnpackedBody {
  event: StoredEvent
  /** Parses the payload as it was sent, which few readers need. */
  readRaw: () => Record<string, unknown>
}

/** What `normalise` needs to know of an event in addition to its payload, and what only its first run can know. */
export type Facts = [
  eventId: string,
  receivedAt: number,
  sizeBytes: number,
  drift: number,
  /** Null when the payload names its SDK. */
  sdk: NormalEvent['sdk'] | null,
  truncationSignals: NormalEvent['truncation_signals'],
]

/** Level 5 takes half as long again and 6 % less bytes (decision 080). */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }
const LINE_END = 0x0a
const FACTS_BEGIN = 0x5b

/**
 * Packs an event for `occurrence.body`: zstd of two lines of JSON, what `normalise` needs in addition to the payload, and the
 * payload. `dictionary` is text that the payload shares; the same is needed to unpack the body (decision 080).
 */
export function packBody(event: NormalEvent, dictionary?: Uint8Array): Uint8Array {
  const { raw_payload: raw, sdk, drift = 0 } = event
  const ownSdk = isObject(raw['sdk']) && typeof raw['sdk']['name'] === 'string'
  const facts: Facts = [
    event.sdk_event_id,
    event.received_at,
    event.size_bytes,
    drift,
    ownSdk ? null : sdk,
    event.truncation_signals,
  ]
  return pack(`${JSON.stringify(facts)}\n${JSON.stringify(raw)}`, dictionary)
}

/** The same body packed without a dictionary. */
export function packWithout(body: Uint8Array, dictionary: Uint8Array): Uint8Array {
  return pack(unpack(body, dictionary))
}

/**
 * Unpacks the event and its payload. The event is normalised again from the payload, by the rules of this version;
 * bodies of earlier versions hold both.
 */
export function unpackBody(body: Uint8Array, dictionary?: Uint8Array): UnpackedBody {
  return readBody(unpack(body, dictionary))
}

/** The same as the JSON of its two lines; bodies of earlier versions as events. */
export function unpackLines(
  body: Uint8Array,
  dictionary?: Uint8Array,
): { facts: Facts; payload: string } | { event: StoredEvent } {
  const text = unpack(body, dictionary)
  if (text[0] !== FACTS_BEGIN) return readBody(text)
  const end = text.indexOf(LINE_END)
  return { facts: parse(text, 0, end) as Facts, payload: text.toString('utf8', end + 1) }
}

function readBody(text: Buffer): UnpackedBody {
  const end = text.indexOf(LINE_END)
  const readRaw = () => parse(text, end + 1) as JsonObject
  if (text[0] === FACTS_BEGIN) return { event: readEvent(parse(text, 0, end) as Facts, readRaw()), readRaw }
  // Only this file writes the column.
  if (end !== -1) return { event: parse(text, 0, end) as StoredEvent, readRaw }
  const { event, raw } = parse(text, 0) as { event: StoredEvent; raw: JsonObject }
  return { event, readRaw: () => raw }
}

/** The event that `normalise` makes of a payload, or of some of its members. */
export function readEvent(
  [eventId, receivedAt, sizeBytes, drift, sdk, signals]: Facts,
  payload: JsonObject,
): StoredEvent {
  const sentAt = drift === 0 ? undefined : new Date(receivedAt - drift).toISOString()
  const facts = { eventId, receivedAt, sizeBytes, sentAt, sdk }
  const { raw_payload: _raw, drift: _drift, ...event } = normalise(payload, facts)
  return { ...event, truncation_signals: signals }
}

function parse(text: Buffer, start: number, end?: number): unknown {
  return JSON.parse(text.toString('utf8', start, end))
}

function pack(text: string | Uint8Array, dictionary?: Uint8Array): Uint8Array {
  return zstdCompressSync(text, dictionary === undefined ? LEVEL : { ...LEVEL, dictionary })
}

/** Most events fit into one buffer of this size. The usual one of 64 KiB takes half as long again (decision 084). */
const UNPACKED = { chunkSize: 16 * 1024 }

function unpack(body: Uint8Array, dictionary?: Uint8Array): Buffer {
  return zstdDecompressSync(body, dictionary === undefined ? UNPACKED : { ...UNPACKED, dictionary })
}
