import type { ServerResponse } from 'node:http'

/** Counts running requests, each until its response has been sent or its connection is closed. */
export interface RequestLimit {
  /** Whether another request of `who` may begin; if so, it is counted until `outgoing` closes. */
  admits(who: string, outgoing: ServerResponse): boolean
}

/** At most `perOwner` concurrent requests per owner. */
export function createRequestLimit(perOwner: number): RequestLimit {
  const running = new Map<string, number>()
  return {
    admits(who, outgoing) {
      const count = running.get(who) ?? 0
      if (count >= perOwner) return false
      // Already closed: no event would ever end its count.
      if (outgoing.closed) return true
      running.set(who, count + 1)
      outgoing.once('close', () => {
        const left = (running.get(who) ?? 1) - 1
        if (left === 0) running.delete(who)
        else running.set(who, left)
      })
      return true
    },
  }
}
