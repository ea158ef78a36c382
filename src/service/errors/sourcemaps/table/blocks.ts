/*
 * Sorted positions are stored in blocks, each a piece of its own. The index of a table has the first position of each
 * block; lines and columns are lists of equal length.
 */

/** Positions in order, 0-based. */
export interface Positions {
  lines: ArrayLike<number>
  columns: ArrayLike<number>
}

/** The number of the last position at or before the given one, −1 when all are after it. */
export function lastAtOrBefore({ lines, columns }: Positions, line: number, column: number): number {
  let low = 0
  let high = lines.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = lines[middle] ?? 0
    if (at < line || (at === line && (columns[middle] ?? 0) <= column)) low = middle + 1
    else high = middle
  }
  return low - 1
}
