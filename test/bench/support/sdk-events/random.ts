/** Numbers that look random and are the same in every run. */
export interface Random {
  /** An integer of 0 … most-1. */
  below(most: number): number
  pick<T>(list: readonly T[]): T
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string
}

/** A generator (mulberry32) that begins at the seed. */
export function random(seed: number): Random {
  let state = Math.imul(seed, 0x85eb_ca6b) >>> 0
  const next = () => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (most: number) => next() % most
  return {
    below,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    hex: (digits) =>
      Array.from({ length: Math.ceil(digits / 8) }, () => next().toString(16).padStart(8, '0'))
        .join('')
        .slice(0, digits),
  }
}
