import { setImmediate } from 'node:timers/promises'

/** Long enough that ordinary work is done at once, short enough that nobody notices the wait. */
const SLICE_MS = 20

/** Runs CPU-bound work step by step; the rest of the process gets its turn after every slice of 20 ms. */
export async function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  let until = performance.now() + SLICE_MS
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() < until) continue
    await setImmediate()
    until = performance.now() + SLICE_MS
  }
}
