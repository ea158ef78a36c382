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
  const [only] = collected
  return only !== undefined && collected.length === 1 ? asBuffer(only) : Buffer.concat(collected)
}

/** The same memory as a Buffer. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The size of a value as JSON, in bytes of UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
