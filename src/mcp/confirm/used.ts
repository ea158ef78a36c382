/** Which confirmations were used; each is remembered until it has expired. */
export interface UsedConfirmations {
  has(this: void, nonce: string): Promise<boolean>
  /** Marks it as used; resolves to false if it was used before, at the same moment or in another process. */
  take(this: void, nonce: string, expiresAt: number, now: number): Promise<boolean>
  /** Lets it be used again, for whoever took it and wrote nothing. */
  giveBack(this: void, nonce: string): Promise<void>
}

/** An empty memory of confirmations. */
function createUsed(): UsedConfirmations {
  const used = new Map<string, number>()
  return {
    has: (nonce) => Promise.resolve(used.has(nonce)),
    take(nonce, expiresAt, now) {
      // All last equally long, so the oldest are in front.
      for (const [old, end] of used) {
        if (end > now) break
        used.delete(old)
      }
      if (used.has(nonce)) return Promise.resolve(false)
      used.set(nonce, expiresAt)
      return Promise.resolve(true)
    },
    giveBack(nonce) {
      used.delete(nonce)
      return Promise.resolve()
    },
  }
}

/**
 * What this process has used, where the service is in another one and keeps nothing for it. Shared by every server of the
 * process, because the page may confirm what a client was asked.
 */
export const usedHere = createUsed()
