interface Entry<Value> {
  value: Value
  weight: number
}

/** What a cache may hold. */
export interface Limits {
  weight: number
  entries: number
}

/** The limits of a cache that may hold a fraction of what another may. */
export function scaled({ weight, entries }: Limits, share: number): Limits {
  return { weight: weight * share, entries: entries * share }
}

/**
 * Keeps the most recently used values, up to a total weight and a number of entries. Nothing is evicted before
 * `trim()`, so that values held together stay valid; `dispose` is called with each evicted value.
 */
export class Lru<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #most: Limits
  readonly #dispose: (value: Value) => void
  #weight = 0

  constructor(most: Limits, dispose: (value: Value) => void = () => {}) {
    this.#most = most
    this.#dispose = dispose
  }

  /** The value, marked as used. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: Value, weight: number): void {
    this.delete(key)
    this.#entries.set(key, { value, weight })
    this.#weight += weight
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
    this.#dispose(entry.value)
  }

  /** Evicts the least recently used values until the rest is within the limits. */
  trim(): void {
    for (const key of this.#entries.keys()) {
      if (this.#weight <= this.#most.weight && this.#entries.size <= this.#most.entries) return
      this.delete(key)
    }
  }

  clear(keyPrefix = ''): void {
    for (const key of this.#entries.keys()) if (key.startsWith(keyPrefix)) this.delete(key)
  }
}
