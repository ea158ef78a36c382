import type { Clock } from '../src/lib/clock.ts'

/** A clock that a test sets forward; what is due then runs at once. */
export interface VirtualClock extends Clock {
  pass(milliseconds: number): void
  /** How long until the next timer is due; infinite without any. */
  untilNext(this: void): number
  /** Passes the time, for a client that sleeps. */
  sleep(this: void, milliseconds: number): Promise<void>
}

export function virtualClock(): VirtualClock {
  let time = 0
  const due = new Set<{ at: number; run: () => void }>()
  function pass(milliseconds: number) {
    time += milliseconds
    for (const entry of [...due].toSorted((a, b) => a.at - b.at)) {
      if (entry.at > time || !due.delete(entry)) continue
      entry.run()
    }
  }
  return {
    now: () => time,
    after(delayMs, run) {
      const entry = { at: time + delayMs, run }
      due.add(entry)
      return () => void due.delete(entry)
    },
    pass,
    untilNext: () => Math.min(...Array.from(due, ({ at }) => at - time)),
    sleep(milliseconds) {
      pass(milliseconds)
      return Promise.resolve()
    },
  }
}
