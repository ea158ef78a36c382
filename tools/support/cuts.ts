import { parseTruncationNote } from '../../src/contract/base/truncation-note.ts'

/** Members that the tool never shows: that they were cut says nothing to its reader. */
const NEVER_SHOWN =
  /^(?:event\.)?(?:modules|debug_images|extra|contexts|fingerprint|message_params|user|request\.headers|symbolication|threads)\b/
/** Reasons for what another member of the answer shows, or what no tool shows. */
const ELSEWHERE = new Set(['cleared', 'moved'])
/** Reasons that the numbers already explain. */
const PLAIN = new Set(['count', 'size', 'max_frames', 'max_files', 'max_items', 'max_requirements'])

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
 * where it is not plain. `names` has the members that the tool calls otherwise.
 */
export function cutNames(
  signals: readonly string[],
  own: Readonly<Record<string, Kept>>,
  names: Readonly<Record<string, string>> = {},
): string[] {
  const cuts = new Map<string, string>()
  for (const signal of signals) {
    const note = parseTruncationNote(signal)
    if (note === undefined || ELSEWHERE.has(note.reason) || NEVER_SHOWN.test(note.member)) continue
    const { member, reason, kept, total } = note
    const name = names[member] ?? member.replace(/^event\./, '')
    // A second cut of the same list begins with what the first one left.
    const all = Math.max(total, totalIn(cuts.get(name)))
    const why = reason === 'length' ? ' characters' : PLAIN.has(reason) ? '' : ` (${reason})`
    cuts.set(name, `${name}: ${kept} of ${all}${why}`)
  }
  for (const [name, { shown, total }] of Object.entries(own)) {
    if (shown >= total) continue
    cuts.set(name, `${name}: ${shown} of ${Math.max(totalIn(cuts.get(name)), total)}`)
  }
  return [...cuts.values()]
}

/** The total of a member that the service may have cut: as its note says, else what came. */
export function totalBefore(signals: readonly string[], member: string, { length }: readonly unknown[]): number {
  const totals = signals.map(parseTruncationNote).filter((note) => note?.member === member)
  return Math.max(length, ...totals.map((note) => note?.total ?? 0))
}

/** 12 of `frames: 8 of 12 (depth)`; 0 where there is no such name. */
function totalIn(name = ''): number {
  return Number(/ of (\d+)/.exec(name)?.[1] ?? 0)
}
