import { ServiceError } from '../../../errors.ts'

/** The most streams that a token may have open at the same time. */
const MOST_PER_TOKEN = 20

/** Counts the open streams of each token and ends them when the service closes. */
export interface OpenStreams {
  /** Throws `resource_exhausted` when the token has as many streams open as it may, `unavailable` after `close`. */
  requireRoom(this: void, tokenId: string): void
  /**
   * Counts a stream until `leave` is called or the signal `leaving` aborts. The signal that it returns aborts then and at
   * `close`. Throws as `requireRoom` does.
   */
  enter(this: void, tokenId: string, leaving: AbortSignal | undefined): { signal: AbortSignal; leave(this: void): void }
  count(this: void): number
  /** Ends all streams, and refuses new ones. */
  close(this: void): void
}

export function createOpenStreams(): OpenStreams {
  const ofTokens = new Map<string, Set<AbortController>>()
  let isClosed = false

  function requireRoom(tokenId: string): void {
    if (isClosed) throw new ServiceError('unavailable', 'the service is stopping; connect again later')
    if ((ofTokens.get(tokenId)?.size ?? 0) < MOST_PER_TOKEN) return
    const message = `${String(MOST_PER_TOKEN)} streams of this token are open; end one of them first`
    throw new ServiceError('resource_exhausted', message, {
      reason: 'TOO_MANY_STREAMS',
      metadata: { limit: String(MOST_PER_TOKEN) },
    })
  }

  return {
    requireRoom,
    enter(tokenId, leaving) {
      requireRoom(tokenId)
      const ending = new AbortController()
      const ofToken = ofTokens.get(tokenId) ?? new Set()
      ofTokens.set(tokenId, ofToken.add(ending))
      const leave = () => {
        leaving?.removeEventListener('abort', leave)
        ending.abort()
        if (ofToken.delete(ending) && ofToken.size === 0) ofTokens.delete(tokenId)
      }
      leaving?.addEventListener('abort', leave)
      if (leaving?.aborted === true) leave()
      return { signal: ending.signal, leave }
    },
    count: () => [...ofTokens.values()].reduce((sum, { size }) => sum + size, 0),
    close() {
      isClosed = true
      for (const ending of [...ofTokens.values()].flatMap((ofToken) => [...ofToken])) ending.abort()
    },
  }
}
