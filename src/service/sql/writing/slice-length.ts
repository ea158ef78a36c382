/** What other writes and requests wait for long work at a time. */
const USUAL_MS = 10
/** So that long work gets on when others leave no pause. */
const LONGEST_MS = 40
/** The part of the time waited that the next slice may last. */
const SHARE = 0.25

/**
 * How long the next slice of long work may last, in milliseconds: as long as the last one took to close, because each
 * slice has to, and a quarter of the time that it waited for others, at least 10 ms and at most 40 ms.
 */
export function sliceLength({ closingMs, waitedMs }: { closingMs: number; waitedMs: number }): number {
  return Math.min(LONGEST_MS, Math.max(USUAL_MS, closingMs, waitedMs * SHARE))
}
