import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** How long the page can be loaded again; longer than anybody looks at it. */
const KEPT_MS = 3_600_000
const MOST_OUTCOMES = 500

/**
 * Makes a function that does work once for the same facts: a second click on the button, and a page that is loaded again,
 * send what was sent before. Facts are kept as hashes only. Work that rejects is done again.
 */
export function createOutcomes<T>(): (facts: readonly string[], work: () => Promise<T>) => Promise<T> {
  const outcomes = new LRUCache<string, Promise<T>>({ max: MOST_OUTCOMES, ttl: KEPT_MS })
  return (facts, work) => {
    const key = hash('sha256', JSON.stringify(facts))
    const known = outcomes.get(key)
    if (known !== undefined) return known
    const outcome = work()
    outcomes.set(key, outcome)
    outcome.catch(() => outcomes.delete(key))
    return outcome
  }
}
