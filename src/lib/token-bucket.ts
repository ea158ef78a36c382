import { LRUCache } from 'lru-cache'

export interface Rate {
  /** Events per second; 0 is no limit. */
  perSecond: number
  burst: number
}

/** Takes `cost` tokens of the key: 0 when admitted, else the whole seconds (≥ 1) until one token is free. */
export type RateLimit = (key: string, cost: number, rate: Rate) => number

/** What a key has spent, and how much of it comes back in a second. */
export interface Spent {
  key: string
  cost: number
  perSecond: number
}

/** Buckets whose keys are used in several processes. */
export interface TokenBuckets {
  readonly take: RateLimit
  /**
   * What keys have spent here since they were last named, where it is more than a tenth of their bucket and has not
   * come back meanwhile.
   */
  spentHere(this: void): Spent[]
  /** Takes what was spent in another process. */
  spentElsewhere(this: void, spent: Spent): void
}

interface Bucket {
  /** Tokens that are missing; more than the bucket holds are owed. */
  spent: number
  at: number
  /** As it was last asked for here; else as another process has told it. */
  perSecond: number
  /** 0 where the key was only used elsewhere. */
  capacity: number
  /** What other processes have not been told. */
  untold: number
}

interface BucketOptions {
  now: () => number
  keys?: number
}

/** From which part of its bucket on others are told what a key has spent. */
const TOLD_FROM = 0.1

/**
 * Token buckets on the given clock (epoch milliseconds), at most `keys` of them; the longest unused is forgotten. One
 * free token admits the whole cost (contract §12): what exceeds the tokens is owed, so the mean rate still holds.
 */
export function createTokenBuckets({ now, keys = 10_000 }: BucketOptions): TokenBuckets {
  // Made with the first request: a cache reserves the room of all its keys, which takes milliseconds.
  let buckets: LRUCache<string, Bucket> | undefined
  /** Keys that were used since they were last looked through. */
  let used = new Set<string>()

  /** The bucket with what has come back at the rate that it was asked for last. */
  function refilled(key: string): Bucket {
    buckets ??= new LRUCache({ max: keys })
    const at = now()
    const bucket = buckets.get(key) ?? { spent: 0, at, perSecond: 0, capacity: 0, untold: 0 }
    // A clock set back refills nothing, and the bucket goes on from there.
    const refill = (Math.max(0, at - bucket.at) / 1000) * bucket.perSecond
    const spent = Math.max(0, bucket.spent - refill)
    return { ...bucket, spent, at, untold: Math.min(bucket.untold, spent) }
  }

  return {
    take(key, cost, { perSecond, burst }) {
      if (cost === 0 || perSecond <= 0) return 0
      const bucket = refilled(key)
      const capacity = Math.max(1, burst)
      const tokens = capacity - bucket.spent
      // Sums of fractions: 0.9999999 is a token that was waited for.
      const admitted = tokens >= 1 - 1e-6
      const taken = admitted ? cost : 0
      const { spent, untold } = bucket
      buckets?.set(key, { ...bucket, perSecond, capacity, spent: spent + taken, untold: untold + taken })
      if (admitted) used.add(key)
      return admitted ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond))
    },
    spentHere() {
      const asked = used
      used = new Set()
      const told: Spent[] = []
      for (const key of asked) {
        if (buckets?.has(key) !== true) continue
        const bucket = refilled(key)
        if (bucket.untold <= bucket.capacity * TOLD_FROM) continue
        told.push({ key, cost: bucket.untold, perSecond: bucket.perSecond })
        buckets.set(key, { ...bucket, untold: 0 })
      }
      return told
    },
    spentElsewhere({ key, cost, perSecond: told }) {
      const bucket = refilled(key)
      // Without a rate nothing would come back: the first request here would be refused for what was spent elsewhere hours ago.
      const perSecond = bucket.capacity === 0 ? told : bucket.perSecond
      buckets?.set(key, { ...bucket, perSecond, spent: bucket.spent + cost })
    },
  }
}

/** The buckets of one process alone. */
export function createRateLimit(options: BucketOptions): RateLimit {
  return createTokenBuckets(options).take
}
