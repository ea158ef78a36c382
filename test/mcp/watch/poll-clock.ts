import { virtualClock, type VirtualClock } from '../../virtual-clock.ts'

/** How often a subscribed resource is read. */
export const POLL_MS = 15_000

/** A clock that knows how many polls are due. */
export function pollClock(): VirtualClock & { polls(): number } {
  const clock = virtualClock()
  let polls = 0
  return {
    ...clock,
    polls: () => polls,
    after(delayMs, run) {
      if (delayMs !== POLL_MS) return clock.after(delayMs, run)
      polls += 1
      let isDue = true
      const done = () => {
        if (isDue) polls -= 1
        isDue = false
      }
      const cancel = clock.after(delayMs, () => {
        done()
        run()
      })
      return () => {
        done()
        cancel()
      }
    },
  }
}
