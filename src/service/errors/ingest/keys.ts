import { LRUCache } from 'lru-cache'
import type { Platform } from '../../shared/context.ts'
import type { Database } from '../../sql/database.ts'

export interface DsnKey {
  productId: number
  /** Events per second; null means the default, 0 means no limit. */
  ratePerSecond: number | null
  burst: number | null
  /** A server key: what comes with it is vouched for (decision 057). */
  vouches: boolean
}

export interface Keys {
  /** The key, or undefined when it is unknown or revoked. */
  find(publicKey: string): Promise<DsnKey | undefined>
}

const FOUND_MS = 2_000
const MISSING_MS = 30_000
const KEYS_KEPT = 10_000

interface Known {
  key: DsnKey | undefined
  readAt: number
}

/**
 * DSN keys from the database behind a bounded cache: a revoked key is noticed within two seconds, an unknown key is not
 * looked up again for 30 seconds (contract §12). Found and missing keys have separate caches, so that made-up keys
 * cannot evict real ones.
 */
export function createKeys({ db, platform }: { db: Database; platform: Platform }): Keys {
  const found = new LRUCache<string, Known>({ max: KEYS_KEPT })
  const missing = new LRUCache<string, Known>({ max: KEYS_KEPT })
  return {
    async find(publicKey) {
      // JavaScript SDKs refuse any other key, so none exists.
      if (!/^\w{1,64}$/.test(publicKey)) return undefined
      const known = found.get(publicKey) ?? missing.get(publicKey)
      if (known && isCurrent(known, platform.now())) return known.key
      const key = await readKey(db, publicKey)
      found.delete(publicKey)
      if (key) {
        missing.delete(publicKey)
        found.set(publicKey, { key, readAt: platform.now() })
      } else missing.set(publicKey, { key, readAt: platform.now() })
      return key
    },
  }
}

/** False also when the clock was set back since the key was read. */
function isCurrent({ key, readAt }: Known, now: number): boolean {
  return readAt <= now && now < readAt + (key === undefined ? MISSING_MS : FOUND_MS)
}

async function readKey(db: Database, publicKey: string): Promise<DsnKey | undefined> {
  const row = await db.read
    .selectFrom('dsn_key')
    .select(['product_id', 'rate_per_second', 'burst', 'kind'])
    .where('public_key', '=', publicKey)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { product_id: productId, rate_per_second: ratePerSecond, burst, kind } = row
  return { productId, ratePerSecond, burst, vouches: kind === 'server' }
}
