/** The time and timers of a process, passed in so that tests do not wait. */
export interface Clock {
  /** Milliseconds since some moment; never decreases. */
  now(): number
  /** Calls `run` once after the delay. Returns a function that cancels the call. */
  after(delayMs: number, run: () => void): () => void
}

/** Whether the work is still pending after the delay. Rejects if the work does before. */
export async function isPendingAfter(work: Promise<unknown>, delayMs: number, clock: Clock): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const cancel = clock.after(delayMs, () => late.resolve(true))
  try {
    return await Promise.race([work.then(() => false), late.promise])
  } finally {
    cancel()
  }
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

/** The system's clock for work in the background: its timers do not keep the process alive. */
export const backgroundClock: Clock = {
  ...systemClock,
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref()
    return () => clearTimeout(timer)
  },
}
