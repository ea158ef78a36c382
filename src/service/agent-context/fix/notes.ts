/** Says what was left out of a result: `reason` is why, the numbers are entries, or characters for `length`. */
export type Note = (member: string, reason: string, kept: number, total: number) => void

/** Collects such notes, summed per member and reason, as `"<member>:<reason>:<kept>/<total>"` (contract §10.4). */
export function createNotes(): { note: Note; list: () => string[] } {
  const sums = new Map<string, { kept: number; total: number }>()
  const note: Note = (member, reason, kept, total) => {
    if (kept === total) return
    const key = `${member}:${reason}`
    const sum = sums.get(key) ?? { kept: 0, total: 0 }
    sums.set(key, { kept: sum.kept + kept, total: sum.total + total })
  }
  return {
    note,
    list: () => Array.from(sums, ([key, { kept, total }]) => `${key}:${kept}/${total}`),
  }
}
