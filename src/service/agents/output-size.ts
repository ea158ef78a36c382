import { jsonBytes } from '../../lib/bytes.ts'
import { keepFirst, type TruncationNotes } from '../shared/truncation-notes.ts'

/** The largest output of a run, in bytes of JSON. A run that ends with a larger one fails. */
export const OUTPUT_BYTES = 512 * 1024

/**
 * The first entries of a list that fit into a share of the largest output, at most `max` of them; what is left out is noted.
 * The shares of all lists of an output add up to less than 1.
 */
export function keepFitting<T>(
  notes: TruncationNotes,
  member: string,
  list: readonly T[],
  { share, max = list.length }: { share: number; max?: number },
): T[] {
  const first = keepFirst(notes, member, list, max)
  const kept: T[] = []
  let left = OUTPUT_BYTES * share
  for (const entry of first) {
    left -= jsonBytes(entry) + 1
    if (left < 0) break
    kept.push(entry)
  }
  notes.noteCut(member, 'max_bytes', kept.length, first.length)
  return kept
}
