/** Why something of an event is not in the normalised form. */
export type Reason = 'type' | 'value' | 'range' | 'length' | 'count' | 'size' | 'depth'

/**
 * Collects what normalisation drops or cuts, summed per member and reason, as `"<member>:<reason>:<kept>/<total>"`.
 * Members are names of the contract, never text from the event: the signals count as trusted text.
 */
export class Signals {
  #sums: Map<string, { kept: number; total: number }> | undefined

  /** Counts characters for `length`, otherwise members, entries or values. */
  note(member: string, reason: Reason, kept: number, total: number): void {
    this.#sums ??= new Map()
    const key = `${member}:${reason}`
    const sum = this.#sums.get(key)
    if (!sum) this.#sums.set(key, { kept, total })
    else {
      sum.kept += kept
      sum.total += total
    }
  }

  list(): string[] {
    if (!this.#sums) return []
    return Array.from(this.#sums, ([key, { kept, total }]) => `${key}:${kept}/${total}`)
  }
}
