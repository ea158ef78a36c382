import { median } from '../../harness/measure.ts'

export const ROUNDS = 5
export const CALLS = 100
export const WARM_CALLS = 300

/** Median milliseconds of the calls of a round, made one after the other. */
export async function medianCall(call: () => Promise<void>, count = CALLS): Promise<number> {
  const times: number[] = []
  for (let made = 0; made < count; made += 1) {
    const start = performance.now()
    await call()
    times.push(performance.now() - start)
  }
  return median(times)
}
