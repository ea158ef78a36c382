/** How soon a server notices that the npm that started it is gone. */
const lookMs = 500

/**
 * Resolves at the first SIGINT or SIGTERM, or when the npm that started this process has ended; a second signal ends the
 * process at once, for whoever will not wait.
 */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false
    const onSignal = () => {
      if (asked) process.exit(130)
      asked = true
      resolve()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
    // npm passes on no signal that ends it alone, and the port would stay taken.
    if (process.env['npm_lifecycle_event'] !== undefined) void parentGone().then(resolve)
  })
}

/** Resolves when this process has got another parent, which it does when its own has ended. */
function parentGone(): Promise<void> {
  const parent = process.ppid
  return new Promise((resolve) => {
    const look = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(look)
      resolve()
    }, lookMs).unref()
  })
}
