/**
 * All chunks in one buffer, without a copy if there is only one chunk. Resolves to undefined as soon as they exceed
 * `limit` bytes; the rest is not read.
 */
export async function collectBytes(chunks: AsyncIterable<Uint8Array>): Promise<Buffer>
export async function collectBytes(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer | undefined>
export async function collectBytes(chunks: AsyncIterable<Uint8Array>, limit = Infinity): Promise<Buffer | undefined> {
  const collected: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.byteLength
    if (size > limit) return undefined
    collected.push(chunk)
  }
  return inOnePiece(collected)
}

/** All pieces in one buffer, without a copy if there is only one. */
export function inOnePiece(pieces: readonly Uint8Array[]): Buffer {
  const [only] = pieces
  return only !== undefined && pieces.length === 1 ? asBuffer(only) : Buffer.concat(pieces)
}

/** The same memory as a Buffer. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The size of a value as JSON, in bytes of UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** All parts in one buffer of its own, which can be passed to a thread without a copy. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** The parts of such a buffer, which share its memory. */
export function splitBytes(joined: Uint8Array, lengths: readonly number[]): Buffer[] {
  let at = joined.byteOffset
  return lengths.map((length) => {
    at += length
    return Buffer.from(joined.buffer, at - length, length)
  })
}
