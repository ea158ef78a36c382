/** Time, passed in so that tests do not wait. */
export interface Clock {
  /** Milliseconds that only grow. */
  now(): number
  /** Calls `run` once after the delay, unless the function that it returns is called before. */
  after(delayMs: number, run: () => void): () => void
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
