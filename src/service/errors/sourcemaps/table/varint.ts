/** The most bytes that `putVarint` writes for a number below 2^33. */
export const VARINT_BYTES = 5

/** Writes a whole number ≥ 0 in groups of seven bits, the lowest first; returns where the next one goes. */
export function putVarint(bytes: Uint8Array, at: number, value: number): number {
  while (value > 127) {
    bytes[at++] = (value % 128) | 128
    value = Math.floor(value / 128)
  }
  bytes[at++] = value
  return at
}

/** As `putVarint`, for numbers of either sign: 0, −1, 1, −2 … become 0, 1, 2, 3 … */
export function putSigned(bytes: Uint8Array, at: number, value: number): number {
  return putVarint(bytes, at, value < 0 ? -2 * value - 1 : 2 * value)
}

/** Where the next number is read from. */
export interface Place {
  readonly bytes: Uint8Array
  at: number
}

/** Reads what `putVarint` wrote and moves on; throws an Error at the end of the bytes. */
export function takeVarint(place: Place): number {
  let value = 0
  for (let factor = 1; ; factor *= 128) {
    const byte = place.bytes[place.at++]
    if (byte === undefined) throw new Error('ends in the middle of a number')
    if (byte < 128) return value + byte * factor
    value += (byte & 127) * factor
  }
}

/** Reads what `putSigned` wrote and moves on. */
export function takeSigned(place: Place): number {
  const value = takeVarint(place)
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}
