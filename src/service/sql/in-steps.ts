import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Prepare } from './database.ts'

/** Rows per transaction: events and reports that arrive in the meantime wait for it. */
export const STEP = 1_000
/** Pause after a full transaction, so that other processes can take the write lock. */
export const PAUSE_MS = 10

/**
 * Repeats a step, each in its own transaction, until it changes fewer rows than it may or is aborted; returns the sum.
 */
export async function inSteps(
  { db, signal }: { db: Database; signal: AbortSignal },
  step: (prepare: Prepare) => Promise<number>,
): Promise<number> {
  let total = 0
  while (!signal.aborted) {
    const changes = await db.batch(step)
    total += changes
    if (changes < STEP) break
    await sleep(PAUSE_MS)
  }
  return total
}
