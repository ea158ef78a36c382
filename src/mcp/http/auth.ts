import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Api } from '../../client/api.ts'
import { ENDPOINT_MISSING, isTokenRefused, NOT_FROM_SERVICE, ServiceError } from '../../errors.ts'
import { mayBeId } from '../resolve/ids.ts'
import { ifOffered } from '../resolve/offered.ts'

const VERIFIED_MS = 60_000
const VERIFIED_TOKENS = 1000

/**
 * Makes a request with the token; rejects with `unauthenticated` if it is not valid. `product` is the one that the caller
 * is pinned to.
 */
export type Verify = (token: string, product: string | undefined) => Promise<unknown>

/** The SHA-256 of a token, in hex: the only form in which tokens are kept. */
export function tokenHash(token: string): string {
  return hash('sha256', token)
}

/**
 * Checks tokens with the service, each at most once a minute. Resolves to whether the token is valid; rejects if the
 * service cannot be asked. `now` never goes back, as the time of day may.
 */
export function createVerifier(
  verify: Verify,
  now: () => number = () => performance.now(),
): (token: string, product?: string) => Promise<boolean> {
  const verified = new LRUCache<string, Promise<boolean>>({
    max: VERIFIED_TOKENS,
    ttl: VERIFIED_MS,
    ttlResolution: 0,
    perf: { now },
  })
  return (token, product) => {
    const digest = tokenHash(token)
    const known = verified.get(digest)
    if (known !== undefined) return known
    const asked = ask(verify, token, product)
    verified.set(digest, asked)
    // Only valid tokens are cached: a new token, or one whose service is back, works immediately.
    const forget = () => {
      if (verified.peek(digest) === asked) verified.delete(digest)
    }
    asked.then((good) => good || forget(), forget)
    return asked
  }
}

async function ask(verify: Verify, token: string, product: string | undefined): Promise<boolean> {
  try {
    await verify(token, product)
    return true
  } catch (error) {
    if (isTokenRefused(error)) return false
    throw error
  }
}

/**
 * Asks for the owner of the token. Where this deployment does not offer that, or the token may not read it, any read that
 * needs the token will do: the list of workspaces, then the issues of the pinned product. Rejects with `unimplemented` where
 * it offers none of them, and with `permission_denied` where the token may read none of them.
 */
export function verifyWith(apiFor: (token: string) => Api): Verify {
  return async (token, product) => {
    const api = apiFor(token)
    const refusals: ServiceError[] = []
    const ifAllowed = async (answer: Promise<unknown>) => {
      try {
        return await ifOffered(answer)
      } catch (error) {
        if (!isPermissionDenied(error)) throw error
        refusals.push(error)
        return undefined
      }
    }
    const answer =
      (await ifAllowed(api.getMe({}))) ??
      (await ifAllowed(api.listWorkspaces({ page_size: 1 }))) ??
      (product !== undefined && mayBeId(product)
        ? await ifAllowed(api.listIssues({ product_id: product, page_size: 1 }))
        : undefined)
    if (answer === undefined) throw refusals.length > 0 ? notAllowed() : notChecked()
  }
}

/** Whether the service refuses what was asked for to this token. A page of a proxy says nothing about the token. */
export function isPermissionDenied(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'permission_denied' && error.reason !== NOT_FROM_SERVICE
}

function notAllowed(): ServiceError {
  const message =
    'the API token may read neither auth/me nor the list of workspaces, so it cannot be checked; give it the right to ' +
    'read one of them, or set TRACEGATE_PRODUCT to the id of a product whose issues it may read'
  return new ServiceError('permission_denied', message)
}

function notChecked(): ServiceError {
  return new ServiceError(
    'unimplemented',
    'tokens cannot be checked: this deployment offers neither auth/me nor the list of workspaces, or the base address ' +
      'is wrong; check TRACEGATE_BASE_URL, and set TRACEGATE_PRODUCT to the id of a product',
    { reason: ENDPOINT_MISSING },
  )
}
