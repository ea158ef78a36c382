import type { ServerResponse } from 'node:http'

/** Counts the requests under way, each until its answer has been sent or its connection is gone. */
export interface RequestLimit {
  /** Whether one more request of `who` may begin; if so it is counted until `outgoing` closes. */
  admits(who: string, outgoing: ServerResponse): boolean
}

/** At most `perOwner` requests at once for each owner. */
export function createRequestLimit(perOwner: number): RequestLimit {
  const running = new Map<string, number>()
  return {
    admits(who, outgoing) {
      const count = running.get(who) ?? 0
      if (count >= perOwner) return false
      // Nobody waits for the answer any more, and no event would tell that it is over.
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
