export interface Turns<K> {
  /** Runs the work once everything that was passed before with this key has finished, whether it succeeded or not. */
  run<T>(key: K, work: () => Promise<T>): Promise<T>
  /** Whether work of this key is running or waiting. */
  isBusy(key: K): boolean
  /** Resolves when nothing is running or waiting. */
  settled(): Promise<void>
}

/** Runs work sequentially per key; work of different keys runs concurrently. */
export function createTurns<K>(): Turns<K> {
  const last = new Map<K, Promise<unknown>>()
  return {
    async run(key, work) {
      const before = last.get(key) ?? Promise.resolve()
      const mine = before.catch(() => undefined).then(work)
      last.set(key, mine)
      try {
        return await mine
      } finally {
        if (last.get(key) === mine) last.delete(key)
      }
    },
    isBusy: (key) => last.has(key),
    async settled() {
      while (last.size > 0) await Promise.allSettled(last.values())
    },
  }
}
