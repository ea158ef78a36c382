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
