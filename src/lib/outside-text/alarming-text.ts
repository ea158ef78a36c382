import { LRUCache } from 'lru-cache'
import { findFlags, isAlarming } from './flags.ts'

const MOST_CHARACTERS = 500_000

/** Names and titles come again in each result; finding the flags of a name takes 40 µs. */
const known = new LRUCache<string, boolean>({
  maxSize: MOST_CHARACTERS,
  maxEntrySize: 1_000,
  sizeCalculation: (_, text) => text.length + 1,
})

/** Whether a text looks like an instruction to an agent. Remembers the answers for short texts, for all callers. */
export function isAlarmingText(text: string): boolean {
  const before = known.get(text)
  if (before !== undefined) return before
  const answer = isAlarming(findFlags(text))
  known.set(text, answer)
  return answer
}
