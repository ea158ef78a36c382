import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../errors.ts'

const VERIFIED_MS = 60_000
const VERIFIED_TOKENS = 1000

/** Asks the service for the owner of a token; rejects with `unauthenticated` if it is not valid. */
export type Verify = (token: string) => Promise<unknown>

/** The SHA-256 of a token, in hex: the only form in which tokens are kept. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/**
 * Checks tokens with the service, each at most once a minute. Resolves to whether the token is valid; rejects if the
 * service cannot be asked.
 */
export function createVerifier(verify: Verify, now: () => number = Date.now): (token: string) => Promise<boolean> {
  const verified = new LRUCache<string, Promise<boolean>>({
    max: VERIFIED_TOKENS,
    ttl: VERIFIED_MS,
    ttlResolution: 0,
    perf: { now },
  })
  return (token) => {
    const hash = tokenHash(token)
    const known = verified.get(hash)
    if (known !== undefined) return known
    const asked = ask(verify, token)
    verified.set(hash, asked)
    // Only valid tokens are cached: a new token, or one whose service is back, works immediately.
    const forget = () => {
      if (verified.peek(hash) === asked) verified.delete(hash)
    }
    asked.then((good) => good || forget(), forget)
    return asked
  }
}

async function ask(verify: Verify, token: string): Promise<boolean> {
  try {
    await verify(token)
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthenticated') return false
    throw error
  }
}
