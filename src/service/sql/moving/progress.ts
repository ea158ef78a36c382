/** How far a copy is. */
export interface CopyProgress {
  table: string
  /** Of the table. */
  rows: number
  totalRows: number
  /** Of all tables, from 0 to 100. */
  percent: number
}

export interface CopyOptions {
  onProgress?: ((progress: CopyProgress) => void) | undefined
  /** Ends the copy after the transaction that is under way. */
  signal?: AbortSignal | undefined
}

/** Counts the rows of all tables as they are copied. */
export function countCopied(
  totals: ReadonlyMap<string, number>,
  onProgress: CopyOptions['onProgress'],
): (table: string, rows: number) => void {
  const all = [...totals.values()].reduce((sum, rows) => sum + rows, 0)
  const copied = new Map<string, number>()
  return (table, rows) => {
    copied.set(table, rows)
    const done = [...copied.values()].reduce((sum, one) => sum + one, 0)
    const percent = all === 0 ? 100 : Math.floor((100 * done) / all)
    onProgress?.({ table, rows, totalRows: totals.get(table) ?? 0, percent })
  }
}
