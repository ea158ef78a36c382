import type { Clock } from '../../lib/clock.ts'
import type { LiveSession } from './live-session.ts'
import type { SessionStore } from './session-store.ts'

/** A session that is idle for this long is ended. */
export const IDLE_MS = 30 * 60_000
/** Its use is noted once in this time: a note is a write. */
export const NOTED_MS = 60_000
/** How often a process looks which of its sessions have ended. */
const SWEEP_MS = 10 * 60_000
/** A sweep is late after this time, in which the machine has slept. */
const LATE_MS = 2 * SWEEP_MS

export interface SweepOptions {
  live: { values(): Iterable<LiveSession>; delete(id: string): unknown }
  store: SessionStore
  now: () => number
  clock: Clock
}

/** Ends the sessions of this process that nobody uses. */
export interface Sweeps {
  /** Resolves once no sweep is late: until then, a session in use might seem to have ended. */
  swept(this: void): Promise<void>
  close(this: void): void
}

/**
 * Looks every ten minutes which sessions have ended. One whose client listens is in use, even if it asks nothing: its
 * client would find it gone when its user comes back, and most clients do not open another one by themselves. It ends with
 * its token.
 */
export function createSweeps({ live, store, now, clock }: SweepOptions): Sweeps {
  let sweptAt = now()
  let lateSweep = Promise.resolve()
  let cancel = clock.after(SWEEP_MS, onTimer)

  function onTimer(): void {
    cancel = clock.after(SWEEP_MS, onTimer)
    begin()
  }

  const isLate = () => Math.abs(now() - sweptAt) >= LATE_MS

  function begin(): void {
    const wasLate = isLate()
    sweptAt = now()
    const swept = sweep(sweptAt)
    if (wasLate) lateSweep = swept
  }

  async function sweep(at: number): Promise<void> {
    const sessions = [...live.values()]
    const unused = sessions.filter(({ isBusy, usedAt }) => !isBusy && usedAt < notEndedSince(at))
    for (const { id } of unused) live.delete(id)
    const heard = sessions.filter(({ isListening }) => isListening)
    for (const session of heard) {
      session.usedAt = at
      // What fails now is done by the next sweep.
      await store.used(session.id, at).catch(() => undefined)
    }
    // The service that is asked may not answer for long.
    endRevoked(heard).catch(() => undefined)
  }

  async function endRevoked(sessions: readonly LiveSession[]): Promise<void> {
    for (const session of sessions) {
      if (await session.isPermitted()) continue
      await store.remove(session.id)
      live.delete(session.id)
    }
  }

  return {
    swept() {
      if (isLate()) begin()
      return lateSweep
    },
    close: () => cancel(),
  }
}

/** A session whose last noted use was before that has ended: its last use may be up to a minute younger. */
export function notEndedSince(now: number): number {
  return now - IDLE_MS - NOTED_MS + 1
}
