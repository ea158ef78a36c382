import { randomInt } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { NormalEvent } from '../../event/event.ts'
import type { Dictionary } from '../../event/prepared-event.ts'
import { dayMs } from '../../../shared/times.ts'
import { outline } from './outline.ts'

/** An id has six bytes in a row. Random, so that it is known before the transaction that writes it. */
const LARGEST_ID = 2 ** 48 - 1
/** Bytes of text: packing takes time for each, and more would rarely help. */
const LONGEST = 64 * 1024
/** Programs change: events that come later get a dictionary made from one of them. */
const USED_MS = 30 * dayMs

/** A new dictionary for events like this one. */
export function makeDictionary(event: Pick<NormalEvent, 'raw_payload' | 'received_at'>): Dictionary {
  const text = Buffer.from(outline(event.raw_payload)).subarray(0, LONGEST)
  // A copy: what zlib returns is part of a larger buffer.
  const packed = Uint8Array.from(zstdCompressSync(text))
  return { id: randomInt(1, LARGEST_ID), madeAt: event.received_at, packed }
}

/** Whether events that arrive at the time are still packed with it. */
export function isCurrent({ madeAt }: Dictionary, receivedAt: number): boolean {
  return receivedAt < madeAt + USED_MS
}

/** The text that `packBody` and `unpackBody` take. */
export function dictionaryText({ packed }: Pick<Dictionary, 'packed'>): Uint8Array {
  return zstdDecompressSync(packed)
}
