import { setTimeout as sleep } from 'node:timers/promises'

/** The middle value; of an even count the upper of the two. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** The value below which the given part (0 to 1) of the values lie; NaN without values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/**
 * Runs the contestants in turn, `rounds` times, so that a drift of the machine hits all of them alike. Returns the values
 * of each, in the order of the rounds.
 */
export async function inTurn<N extends string>(
  contestants: Record<N, () => Promise<number>>,
  rounds: number,
): Promise<Record<N, number[]>> {
  const names = Object.keys(contestants) as N[]
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<N, number[]>
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) taken[name].push(await contestants[name]())
  }
  return taken
}

/** Milliseconds that the work takes. */
export async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/**
 * Milliseconds of the longest piece of the event loop while the work is done. By a timer of one millisecond:
 * `monitorEventLoopDelay` misses pieces between two of its own.
 */
export async function longestPiece(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = performance.now()
  const ticker = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 1)
  await work()
  // A piece is noticed in the turn after it.
  await sleep(5)
  clearInterval(ticker)
  return longest
}

/**
 * Milliseconds that a hundred million additions take, the shortest of three: machines of one kind differ, and all times of a
 * suite are longer where this one is.
 */
export function loopMs(): number {
  const taken = Array.from({ length: 3 }, () => {
    const start = performance.now()
    let sum = 0
    for (let at = 0; at < 1e8; at += 1) sum += at
    // Without a use of it the compiler may leave the loop out.
    return sum > 0 ? performance.now() - start : Number.NaN
  })
  return Math.min(...taken)
}
