import { once } from '../../lib/once.ts'

/** How often a server checks whether the npm that started it is still there. */
const parentCheckMs = 500

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP, or when the npm that started this process has ended. A second SIGINT or
 * SIGTERM ends the process immediately.
 */
export const stopRequested = once(listen)

function listen(): Promise<void> {
  return new Promise((resolve) => {
    let signalled = false
    const onSignal = () => {
      if (signalled) process.exit(130)
      signalled = true
      resolve()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
    // Sent when the terminal is closed, often more than once, and before SIGTERM when the machine is shut down.
    process.on('SIGHUP', () => resolve())
    // npm does not pass on a signal that ends only npm, and the port would stay in use.
    if (process.env['npm_lifecycle_event'] !== undefined) void parentGone().then(resolve)
  })
}

/** Aborts when the command should stop. */
export function untilStopped({ stopRequested: stopped }: { stopRequested(this: void): Promise<void> }): AbortSignal {
  const stop = new AbortController()
  void stopped().then(() => stop.abort())
  return stop.signal
}

/** Resolves when this process has another parent, which happens when its own has ended. */
function parentGone(): Promise<void> {
  const parent = process.ppid
  return new Promise((resolve) => {
    const look = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(look)
      resolve()
    }, parentCheckMs).unref()
  })
}
