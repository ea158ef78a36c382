/** A list of 32-bit numbers that grows, 4 bytes for each. */
export interface Numbers {
  readonly length: number
  push(value: number): void
  values(): Uint32Array
}

export function createNumbers(): Numbers {
  let values = new Uint32Array(256)
  let length = 0
  return {
    get length() {
      return length
    },
    push(value) {
      if (length === values.length) {
        const larger = new Uint32Array(length * 2)
        larger.set(values)
        values = larger
      }
      values[length++] = value
    },
    values: () => values.subarray(0, length),
  }
}
