import { backgroundClock, type Clock } from '../../../lib/clock.ts'

/** Tells those who follow a run that it has changed. Only this process is heard; changes by others need a poll. */
export interface RunSignals {
  /** Says that a run has a new state or new events; called after the commit. */
  changed(this: void, runId: string): void
  /** Watches a run from now on, until `stop`. */
  watch(this: void, runId: string): RunWatch
}

export interface RunWatch {
  /**
   * Resolves at the next change, at once if there was one since the last call resolved, and at the latest after
   * `longestMs` or when the signal aborts. One caller at a time.
   */
  next(this: void, longestMs: number, signal: AbortSignal): Promise<void>
  /** Ends the watch. */
  stop(this: void): void
}

export function createRunSignals(clock: Clock = backgroundClock): RunSignals {
  const watches = new Map<string, Set<() => void>>()
  return {
    changed(runId) {
      for (const hear of watches.get(runId) ?? []) hear()
    },
    watch(runId) {
      const watch = createWatch(clock)
      const ofRun = watches.get(runId) ?? new Set()
      watches.set(runId, ofRun.add(watch.hear))
      return {
        next: watch.next,
        stop() {
          if (ofRun.delete(watch.hear) && ofRun.size === 0) watches.delete(runId)
        },
      }
    },
  }
}

/** A watch, with `hear` for the changes of its run. */
function createWatch(clock: Clock): Pick<RunWatch, 'next'> & { hear(this: void): void } {
  let hasChanged = false
  let wake = () => {}
  return {
    hear() {
      hasChanged = true
      wake()
    },
    async next(longestMs, signal) {
      if (!hasChanged && !signal.aborted) {
        const waiting = Promise.withResolvers<void>()
        wake = waiting.resolve
        const cancel = clock.after(longestMs, wake)
        signal.addEventListener('abort', wake)
        await waiting.promise
        cancel()
        signal.removeEventListener('abort', wake)
      }
      // The caller reads what is stored next, and so sees every change up to here.
      hasChanged = false
    },
  }
}
