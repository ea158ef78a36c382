import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { NormalEvent } from '../event/event.ts'

export type StoredEvent = Omit<NormalEvent, 'raw_payload'>

const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Packs an event and its payload for `occurrence.body`: zstd of the JSON of both. */
export function packBody({ raw_payload: raw, ...event }: NormalEvent): Uint8Array {
  return zstdCompressSync(JSON.stringify({ event, raw }), LEVEL)
}

/** Unpacks the event and its payload. */
export function unpackBody(body: Uint8Array): { event: StoredEvent; raw: Record<string, unknown> } {
  // Only packBody writes this column.
  return JSON.parse(zstdDecompressSync(body).toString('utf8')) as { event: StoredEvent; raw: Record<string, unknown> }
}
