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

/**
 * Keeps what `make` returned for its latest arguments, which are compared by identity and must not change; it is kept as
 * long as the first argument.
 */
export function madeOnce<First extends object, Rest extends readonly unknown[], Made>(
  make: (first: First, ...rest: Rest) => Made,
): (first: First, ...rest: Rest) => Made {
  const kept = new WeakMap<First, { rest: Rest; made: Made }>()
  return (first, ...rest) => {
    const known = kept.get(first)
    if (known?.rest.every((value, index) => value === rest[index]) === true) return known.made
    const made = make(first, ...rest)
    kept.set(first, { rest, made })
    return made
  }
}
