/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once, for whoever will not wait. */
export function stopRequested(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked) process.exit(130)
      asked = true
      resolve(signal)
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}
