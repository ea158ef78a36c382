/** Limits of contract §12; the first four and the rates are those of the specification or close to Relay's. */
export interface IngestLimits {
  /** Bytes of the request body as sent. */
  bodyBytes: number
  /** Bytes of the body after its content encoding is removed. */
  decodedBytes: number
  /** Bytes of one event's JSON. */
  eventBytes: number
  /** Bytes of an envelope or item header line. */
  headerBytes: number
  itemsPerEnvelope: number
  /** For keys without their own rate. */
  eventsPerSecond: number
  burst: number
}

const MiB = 1024 * 1024

export const defaultLimits: IngestLimits = {
  bodyBytes: MiB,
  decodedBytes: 20 * MiB,
  eventBytes: MiB,
  headerBytes: 64 * 1024,
  itemsPerEnvelope: 100,
  eventsPerSecond: 50,
  burst: 200,
}
