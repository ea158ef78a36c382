import { formatTruncationNote } from '../../contract/base/truncation-note.ts'

/**
 * Records what was left out of a member and why. Members are names of the contract, never text from an event: notes count
 * as trusted text. The numbers are characters for the reason `length`, otherwise entries or values.
 */
export type NoteTruncation<Reason extends string = string> = (
  member: string,
  reason: Reason,
  kept: number,
  total: number,
) => void

/** Collects the `truncation_signals` of one answer, summed per member and reason. */
export interface TruncationNotes<Reason extends string = string> {
  note: NoteTruncation<Reason>
  /** `note`, except that nothing is recorded when all is kept. */
  noteCut: NoteTruncation<Reason>
  list: () => string[]
}

export function createTruncationNotes<Reason extends string = string>(): TruncationNotes<Reason> {
  // Most events are stored whole.
  let sums: Map<string, { member: string; reason: Reason; kept: number; total: number }> | undefined
  const note: NoteTruncation<Reason> = (member, reason, kept, total) => {
    sums ??= new Map()
    const key = `${member}:${reason}`
    const sum = sums.get(key) ?? { member, reason, kept: 0, total: 0 }
    sums.set(key, { member, reason, kept: sum.kept + kept, total: sum.total + total })
  }
  return {
    note,
    noteCut(member, reason, kept, total) {
      if (kept !== total) note(member, reason, kept, total)
    },
    list: () => Array.from(sums?.values() ?? [], formatTruncationNote),
  }
}

/** At most `max` entries of a list, the first; noted as `max_items` where some are left out. */
export function keepFirst<T>(notes: TruncationNotes, member: string, list: readonly T[], max: number): T[] {
  const kept = list.slice(0, max)
  notes.noteCut(member, 'max_items', kept.length, list.length)
  return kept
}
