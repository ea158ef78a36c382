/** Which confirmations this process has used; each is remembered until it expires. */
export interface UsedConfirmations {
  has(nonce: string): boolean
  /** Marks it as used; returns false if it was used before. */
  take(nonce: string, expiresAt: number, now: number): boolean
}

/** An empty memory of confirmations. */
function createUsed(): UsedConfirmations {
  const used = new Map<string, number>()
  return {
    has: (nonce) => used.has(nonce),
    take(nonce, expiresAt, now) {
      // All last equally long, so the oldest are in front.
      for (const [old, end] of used) {
        if (end > now) break
        used.delete(old)
      }
      if (used.has(nonce)) return false
      used.set(nonce, expiresAt)
      return true
    },
  }
}

/** Shared by every server of the process, because the page may confirm what a client was asked. */
export const usedHere = createUsed()
