import { LRUCache } from 'lru-cache'

export interface Rate {
  /** Events per second; 0 is no limit. */
  perSecond: number
  burst: number
}

/** Takes `cost` tokens of the key: 0 when admitted, else the whole seconds (≥ 1) until one token is free. */
export type RateLimit = (key: string, cost: number, rate: Rate) => number

interface Bucket {
  tokens: number
  at: number
}

/**
 * Token buckets on the given clock (epoch milliseconds), at most `keys` of them; the longest unused is forgotten. One
 * free token admits the whole cost (contract §12): what exceeds the tokens is owed, so the mean rate still holds.
 */
export function createRateLimit({ now, keys = 10_000 }: { now: () => number; keys?: number }): RateLimit {
  // Made with the first request: a cache reserves the room of all its keys, which takes milliseconds.
  let buckets: LRUCache<string, Bucket> | undefined
  return (key, cost, { perSecond, burst }) => {
    if (cost === 0 || perSecond <= 0) return 0
    buckets ??= new LRUCache({ max: keys })
    const at = now()
    const capacity = Math.max(1, burst)
    const bucket = buckets.get(key) ?? { tokens: capacity, at }
    // A clock set back refills nothing, and the bucket goes on from there.
    const refill = (Math.max(0, at - bucket.at) / 1000) * perSecond
    const tokens = Math.min(capacity, bucket.tokens + refill)
    // Sums of fractions: 0.9999999 is a token that was waited for.
    const admitted = tokens >= 1 - 1e-6
    buckets.set(key, { tokens: admitted ? tokens - cost : tokens, at })
    return admitted ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond))
  }
}
