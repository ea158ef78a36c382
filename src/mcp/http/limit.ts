import type { Lifetime } from './lifetime.ts'

/** Counts running requests. */
export interface RequestLimit {
  /** Whether another request of `who` may begin; if so, it is counted for its lifetime. */
  admits(who: string, lifetime: Lifetime): boolean
}

/** At most `perOwner` concurrent requests per owner. */
export function createRequestLimit(perOwner: number): RequestLimit {
  const running = new Map<string, number>()
  return {
    admits(who, lifetime) {
      const count = running.get(who) ?? 0
      if (count >= perOwner) return false
      running.set(who, count + 1)
      lifetime.onEnd(() => {
        const left = (running.get(who) ?? 1) - 1
        if (left === 0) running.delete(who)
        else running.set(who, left)
      })
      return true
    },
  }
}
