/** How much two names have to have in common to be called close, from 0 to 1. */
const CLOSE = 0.4

/** The rows by the likeness of their names to a given one, the most alike first, and how many of them are close to it. */
export function byLikeness<R>(
  given: string,
  rows: readonly R[],
  name: (row: R) => string,
): { ordered: R[]; close: number } {
  const scored = rows
    .map((row) => ({ row, score: likeness(given, name(row)) }))
    .toSorted((left, right) => right.score - left.score)
  return { ordered: scored.map(({ row }) => row), close: scored.filter(({ score }) => score >= CLOSE).length }
}

/** The share of pairs of neighbouring letters that two names have in common (Dice); case and other characters do not count. */
function likeness(one: string, other: string): number {
  const [left, right] = [pairs(one), pairs(other)]
  if (left.size === 0 || right.size === 0) return 0
  return (2 * left.intersection(right).size) / (left.size + right.size)
}

function pairs(name: string): Set<string> {
  const letters = name.toLowerCase().match(/[\p{L}\p{N}]/gu) ?? []
  return new Set(letters.slice(1).map((letter, index) => `${letters[index] ?? ''}${letter}`))
}
