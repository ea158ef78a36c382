import type { Clock } from '../../../lib/clock.ts'

/** Notifies the watches of a run when this process has changed it; readers poll for changes by other processes. */
export interface RunSignals {
  /** Reports that a run has a new state or new events; called after the commit. */
  changed(this: void, runId: string): void
  /** Watches a run until `stop`. */
  watch(this: void, runId: string): RunWatch
}

export interface RunWatch {
  /**
   * Resolves at the next change, or at once if there has been one since the last call resolved; also after `longestMs` and
   * when the signal aborts. One call at a time.
   */
  next(this: void, longestMs: number, signal: AbortSignal): Promise<void>
  /** Ends the watch. */
  stop(this: void): void
}

export function createRunSignals(clock: Clock): RunSignals {
  const watches = new Map<string, Set<() => void>>()
  return {
    changed(runId) {
      for (const notify of watches.get(runId) ?? []) notify()
    },
    watch(runId) {
      const watch = createWatch(clock)
      const ofRun = watches.get(runId) ?? new Set()
      watches.set(runId, ofRun.add(watch.notify))
      return {
        next: watch.next,
        stop() {
          if (ofRun.delete(watch.notify) && ofRun.size === 0) watches.delete(runId)
        },
      }
    },
  }
}

/** A watch, with the function that reports a change of its run. */
function createWatch(clock: Clock): Pick<RunWatch, 'next'> & { notify(this: void): void } {
  let hasChanged = false
  let wake = () => {}
  return {
    notify() {
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
      // The caller reads the database next and finds every change up to now.
      hasChanged = false
    },
  }
}
