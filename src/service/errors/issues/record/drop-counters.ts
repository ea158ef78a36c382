import type { Drop } from '../../event/event-store.ts'
import type { Database, Prepare } from '../../../sql/database.ts'

/** Reports within this time share a transaction: they are counts and not events, so none waits for the disk. */
const COLLECT_MS = 1_000

interface Sum extends Drop {
  productId: number
}

export interface DropCountersOptions {
  db: Database
  /** Called when the sums could not be written; they are kept for the next time. */
  onError: (error: unknown) => void
  collectMs?: number
}

/** Adds up what SDKs dropped and writes the sums at most once a second. */
export function createDropCounters({ db, onError, collectMs = COLLECT_MS }: DropCountersOptions) {
  let sums = new Map<string, Sum>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function add(productId: number, drops: readonly Drop[]): void {
    for (const drop of drops) {
      const key = `${productId} ${drop.reason} ${drop.category}`
      const quantity = (sums.get(key)?.quantity ?? 0) + drop.quantity
      sums.set(key, { ...drop, productId, quantity })
    }
  }

  async function write(): Promise<void> {
    const written = sums
    if (written.size === 0) return
    sums = new Map()
    try {
      await db.batch((prepare) => store(prepare, written.values()))
    } catch (error) {
      for (const { productId, ...drop } of written.values()) add(productId, [drop])
      onError(error)
    }
  }

  /** Writes what has been added; resolves when it is on disk. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }

  return {
    add(productId: number, drops: readonly Drop[]): void {
      add(productId, drops)
      timer ??= setTimeout(() => void flush(), collectMs).unref()
    },
    flush,
  }
}

async function store(prepare: Prepare, sums: Iterable<Sum>): Promise<void> {
  const statement = prepare(
    `INSERT INTO dropped_by_sdk (product_id, reason, category, quantity) VALUES (?, ?, ?, ?)
     ON CONFLICT (product_id, reason, category) DO UPDATE SET quantity = dropped_by_sdk.quantity + excluded.quantity`,
  )
  for (const { productId, reason, category, quantity } of sums) {
    await statement.run(productId, reason, category, quantity)
  }
}
