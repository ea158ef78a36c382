/** The function, run at most once per key; a failure is forgotten so that the next caller tries again. */
export function oncePer<K, V>(run: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const running = new Map<K, Promise<V>>()
  return (key) => {
    const known = running.get(key)
    if (known !== undefined) return known
    const started = run(key)
    running.set(key, started)
    started.catch(() => running.delete(key))
    return started
  }
}

/** The function, run at most once; a failure is forgotten so that the next caller tries again. */
export function once<V>(run: () => Promise<V>): () => Promise<V> {
  const running = oncePer(run)
  return () => running(undefined)
}
