/** One entry of `truncation_signals`: `kept` of `total` entries, or of characters where the reason is `length`. */
export interface TruncationNote {
  member: string
  reason: string
  kept: number
  total: number
}

/** A note as answers hold it: `<member>:<reason>:<kept>/<total>` (contract §10.4). */
export function formatTruncationNote({ member, reason, kept, total }: TruncationNote): string {
  return `${member}:${reason}:${kept}/${total}`
}

/** The note in such a text; undefined for any other text, such as `event.raw_payload:cleared`. */
export function parseTruncationNote(text: string): TruncationNote | undefined {
  const [, member, reason, kept, total] = /^([\w.[\]]{1,60}):(\w{1,40}):(\d{1,9})\/(\d{1,9})$/.exec(text) ?? []
  if (member === undefined || reason === undefined) return undefined
  return { member, reason, kept: Number(kept), total: Number(total) }
}
