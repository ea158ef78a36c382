import { LRUCache } from 'lru-cache'

/** How many different things a caller may change within the window without a person's confirmation (mcp §7.1). */
export const MOST_CHANGES = 10
const WINDOW_MS = 5 * 60_000
const CALLERS_KEPT = 10_000

/** Counts what each caller changed lately, so that many small calls are not a way round the limit of one. */
export interface RecentChanges {
  /**
   * Counts the changes for `caller`, unless more than `MOST_CHANGES` different things would then have been changed by
   * this tool within five minutes: it returns how many were changed before, and counts nothing.
   */
  add(caller: string, tool: string, things: readonly string[]): number | undefined
}

/** Counters on the given clock, in epoch milliseconds; the caller that was idle longest is forgotten first. */
export function createRecentChanges(now: () => number = Date.now): RecentChanges {
  const changedAt = new LRUCache<string, Map<string, number>>({ max: CALLERS_KEPT })
  return {
    add(caller, tool, things) {
      const key = `${tool} ${caller}`
      const at = now()
      const recent = Array.from(changedAt.get(key) ?? []).filter(([, changed]) => changed > at - WINDOW_MS)
      const all = new Map([...recent, ...things.map((thing) => [thing, at] as const)])
      if (all.size > MOST_CHANGES) return recent.length
      changedAt.set(key, all)
      return undefined
    },
  }
}
