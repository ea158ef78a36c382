import { setTimeout as delay } from 'node:timers/promises'
import { systemClock, type Clock } from '../../../src/lib/clock.ts'
import { sleep, type Sleep } from '../../../src/client/retry.ts'
import { virtualClock } from '../../virtual-clock.ts'

/** The time of one call, from 0. */
export interface CellClock extends Clock {
  /** Lets time pass for a client that waits for a silent upstream. */
  pass(milliseconds: number): void | Promise<void>
  sleep: Sleep
  isVirtual: boolean
}

/** A clock that advances at once wherever the client would wait. */
export function inVirtualTime(): CellClock {
  return { ...virtualClock(), isVirtual: true }
}

export function inRealTime(): CellClock {
  const started = systemClock.now()
  return {
    ...systemClock,
    now: () => systemClock.now() - started,
    pass: (milliseconds) => delay(milliseconds),
    sleep,
    isVirtual: false,
  }
}
