import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../../src/client/budget.ts'
import { sleep, type Sleep } from '../../../src/client/retry.ts'
import { virtualClock } from '../../virtual-clock.ts'

/** The time of one call, from 0. */
export interface CellClock extends Clock {
  /** Lets time pass for a client that waits for a silent upstream. */
  pass(milliseconds: number): void | Promise<void>
  sleep: Sleep
  isVirtual: boolean
}

/** Time that takes no time: it passes while somebody waits. */
export function inVirtualTime(): CellClock {
  return { ...virtualClock(), isVirtual: true }
}

export function inRealTime(): CellClock {
  const started = performance.now()
  return {
    now: () => performance.now() - started,
    after(delayMs, run) {
      const timer = setTimeout(run, delayMs)
      return () => clearTimeout(timer)
    },
    pass: (milliseconds) => delay(milliseconds),
    sleep,
    isVirtual: false,
  }
}
