import type { IntakeLimits } from '../../../lib/intake.ts'

/** Limits of contract §12; sizes and event rates are those of the specification or close to Relay's. */
export interface IngestLimits {
  /** Bytes of the request body as sent. */
  bodyBytes: number
  /** Bytes of the body after its content encoding is removed. */
  decodedBytes: number
  /** Bytes of one event's JSON. */
  eventBytes: number
  /** Bytes of one client report's JSON that is read; a larger one is skipped. */
  reportBytes: number
  /** Bytes of an envelope or item header line. */
  headerBytes: number
  itemsPerEnvelope: number
  /** Events per key; for keys without their own rate. */
  eventsPerSecond: number
  burst: number
  /** Requests of any kind per key. They grow with a key's own event rate, as do the following. */
  requestsPerSecond: number
  requestBurst: number
  /** Envelopes without an event, per key. */
  othersPerSecond: number
  otherBurst: number
  /** Bytes per key, as sent and unpacked. */
  bytesPerSecond: number
  byteBurst: number
  /** Delay of an answer 429, so that a sender who does not wait cannot ask again at once. */
  refusalDelayMs: number
  /** Bytes of the events that wait to be on disk; beyond them senders are asked to wait. */
  waitingBytes: number
  /** Bodies that arrive or are being read. */
  intake: IntakeLimits
}

const KiB = 1024
const MiB = 1024 * KiB

export const defaultLimits: IngestLimits = {
  bodyBytes: MiB,
  decodedBytes: 20 * MiB,
  eventBytes: MiB,
  // SDKs write some hundred bytes; Relay takes 4 KiB.
  reportBytes: 16 * KiB,
  headerBytes: 64 * KiB,
  itemsPerEnvelope: 100,
  eventsPerSecond: 50,
  burst: 200,
  requestsPerSecond: 200,
  requestBurst: 1_000,
  othersPerSecond: 50,
  otherBurst: 200,
  bytesPerSecond: 5 * MiB,
  byteBurst: 40 * MiB,
  refusalDelayMs: 500,
  waitingBytes: 16 * MiB,
  intake: { bytes: 48 * MiB, bytesPerOwner: 24 * MiB, timeoutMs: 30_000, graceMs: 5_000, bytesPerSecond: KiB },
}
