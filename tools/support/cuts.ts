import { parseTruncationNote } from '../../src/contract/base/truncation-note.ts'

/** Members that the tool never shows: that they were cut says nothing to its reader. */
const NEVER_SHOWN =
  /^(?:event\.)?(?:modules|debug_images|extra|contexts|fingerprint|message_params|user|request\.headers|symbolication|threads)\b/
/** Reasons for what another member of the answer shows, or what no tool shows. */
const ELSEWHERE = new Set(['cleared', 'moved'])
/** Reasons that the numbers already explain. */
const PLAIN = new Set(['count', 'size', 'max_frames', 'max_files', 'max_requirements'])

/** How much of a list is shown. */
export interface Kept {
  shown: number
  total: number
}

/** A list that shows at most `limit` items. */
export function kept({ length: total }: readonly unknown[], limit: number): Kept {
  return { shown: Math.min(total, limit), total }
}

/**
 * What the service left out (contract §10.4, `truncation_signals`) and what the tool did: `frames: 8 of 40`, with the reason
 * where it is not plain.
 */
export function cutNames(signals: readonly string[], own: Readonly<Record<string, Kept>>): string[] {
  const cuts = new Map<string, string>()
  for (const signal of signals) {
    const note = parseTruncationNote(signal)
    if (note === undefined || ELSEWHERE.has(note.reason) || NEVER_SHOWN.test(note.member)) continue
    const { member, reason, kept, total } = note
    const name = member.replace(/^event\./, '')
    const why = reason === 'length' ? ' characters' : PLAIN.has(reason) ? '' : ` (${reason})`
    cuts.set(name, `${name}: ${kept} of ${total}${why}`)
  }
  for (const [name, { shown, total }] of Object.entries(own)) {
    if (shown >= total) continue
    const all = Number(/ of (\d+)$/.exec(cuts.get(name) ?? '')?.[1] ?? total)
    cuts.set(name, `${name}: ${shown} of ${Math.max(all, total)}`)
  }
  return [...cuts.values()]
}
