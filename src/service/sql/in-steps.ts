import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Prepare } from './database.ts'

/** Rows per transaction: events and reports that arrive meanwhile wait for it. */
export const STEP = 1_000
/** After a full transaction: other processes get to the write lock, too. */
export const PAUSE_MS = 10

/** Repeats a step, a transaction each, until it finds less than it may take or is told to stop; the sum of what it did. */
export async function inSteps(
  { db, signal }: { db: Database; signal: AbortSignal },
  step: (prepare: Prepare) => number,
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
