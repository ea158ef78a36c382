import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { NormalEvent } from '../event/event.ts'

export type StoredEvent = Omit<NormalEvent, 'raw_payload'>

export interface UnpackedBody {
  event: StoredEvent
  /** Parses the payload as it was sent, which few readers need and which takes as long as the event. */
  readRaw: () => Record<string, unknown>
}

const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const LINE_END = 0x0a

/** Packs an event and its payload for `occurrence.body`: zstd of two lines of JSON. */
export function packBody({ raw_payload: raw, ...event }: NormalEvent): Uint8Array {
  return zstdCompressSync(`${JSON.stringify(event)}\n${JSON.stringify(raw)}`, LEVEL)
}

/** Unpacks the event and its payload. Bodies of earlier versions are one object with both. */
export function unpackBody(body: Uint8Array): UnpackedBody {
  const text = zstdDecompressSync(body)
  const end = text.indexOf(LINE_END)
  // Only packBody writes this column.
  if (end === -1) {
    const { event, raw } = JSON.parse(text.toString('utf8')) as { event: StoredEvent; raw: Record<string, unknown> }
    return { event, readRaw: () => raw }
  }
  return {
    event: JSON.parse(text.toString('utf8', 0, end)) as StoredEvent,
    readRaw: () => JSON.parse(text.toString('utf8', end + 1)) as Record<string, unknown>,
  }
}
