import { setImmediate as nextTurn } from 'node:timers/promises'

/** A turn of the event loop that is this short had nothing to do. */
const QUIET_MS = 0.5
/** Turns in a row: a request that is being handled may be between two callbacks in one of them. */
const QUIET_TURNS = 3
const LONGEST_MS = 100

/**
 * Resolves when the event loop has nothing else to do, or after 100 ms. Between two pieces of long work: after a single
 * turn, a request of several steps would wait for a piece at each of them.
 */
export async function letOthersRun(): Promise<void> {
  const start = performance.now()
  let at = start
  for (let quiet = 0; quiet < QUIET_TURNS && at - start < LONGEST_MS;) {
    await nextTurn()
    const now = performance.now()
    quiet = now - at < QUIET_MS ? quiet + 1 : 0
    at = now
  }
}

/**
 * Lets `perTurn` callers pass in a turn of the event loop, in their order; the others wait for the next turns. So that
 * what many senders send at once is not all read in one piece.
 */
export function createTurnstile(perTurn: number): () => Promise<void> {
  const waiting: (() => void)[] = []
  let passed = 0
  function open(): void {
    passed = Math.min(perTurn, waiting.length)
    for (const pass of waiting.splice(0, passed)) pass()
    if (passed > 0) setImmediate(open)
  }
  return () => {
    if (passed >= perTurn) return new Promise((resolve) => waiting.push(resolve))
    if (passed === 0) setImmediate(open)
    passed += 1
    return Promise.resolve()
  }
}
