import type { Clock } from '../../lib/clock.ts'
import type { Waits } from '../../client/waits.ts'
import type { Context } from '../define/define.ts'

type Report = Context['progress']

/** How long a call may run without a message. */
const QUIET_MS = 2_000
/** A pause that is worth a message. */
const LONG_PAUSE_MS = 1_000
/** Shortest time between two messages about waiting. */
const BETWEEN_MS = 1_000
/** What a message about waiting adds to the progress: values have to grow (mcp §10), although nothing was done. */
const STEP = 0.001

export interface WaitProgress extends Waits {
  /** What the tool reports itself. */
  report: Report
  /** No message follows. */
  end(): void
}

/** Tells a caller what its call does when it takes long: the request that runs, and a pause before a repetition. */
export function waitProgress(progress: Report, clock: Clock): WaitProgress {
  const running = new Map<symbol, { request: string; startedAt: number }>()
  let last: { done: number; total: number | undefined } = { done: 0, total: undefined }
  let saidAt = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined
  /** Work that ignores the end of its call goes on. */
  let isOver = false

  function say(message: string) {
    if (isOver || clock.now() - saidAt < BETWEEN_MS) return
    saidAt = clock.now()
    last = { ...last, done: last.done + STEP }
    progress({ ...last, message })
  }
  function watch() {
    cancel = clock.after(QUIET_MS, () => {
      const [longest] = running.values()
      if (longest !== undefined) say(describe(longest))
      watch()
    })
  }
  function describe({ request, startedAt }: { request: string; startedAt: number }): string {
    const ms = clock.now() - startedAt
    if (ms < QUIET_MS) return `working; now at ${request}`
    return `waiting for ${request}, ${String(Math.round(ms / 1000))} s so far`
  }
  return {
    report(given) {
      if (isOver) return
      last = given
      progress(given)
    },
    began(request) {
      const key = Symbol(request)
      running.set(key, { request, startedAt: clock.now() })
      if (cancel === undefined && !isOver) watch()
      return () => void running.delete(key)
    },
    pauses(request, { ms, status, asked }) {
      if (ms < LONG_PAUSE_MS) return
      const why = asked ? 'the service asked for it' : 'the service is not available'
      say(`waiting ${String(Math.round(ms / 1000))} s before ${request} is repeated: ${why} (${String(status)})`)
    },
    end() {
      isOver = true
      running.clear()
      cancel?.()
    },
  }
}
