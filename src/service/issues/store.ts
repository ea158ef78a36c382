import type { Platform } from '../context.ts'
import type { NormalEvent } from '../ingest/event.ts'
import type { EventStore } from '../ingest/event-store.ts'
import type { Database } from '../sql/database.ts'
import { createAttribution } from './attribution.ts'
import { groupCommit } from './group-commit.ts'
import { prepareEvent } from './prepare-event.ts'
import { recordEvent } from './record.ts'
import type { Prepared } from './record.ts'

export interface IssueStore extends EventStore {
  /** To be called after every change of a product's components: unresolved issues are attributed anew in the background. */
  componentsChanged(productId: number): void
  /** Resolves when no background work is left. */
  idle(): Promise<void>
}

export interface EventStoreOptions {
  db: Database
  platform: Platform
  /** Hears of failures of background work, which nobody waits for. */
  onError?: (error: unknown) => void
}

/**
 * Where events become issues. `append` groups and packs an event at once, waits for the next transaction together with
 * all others that came meanwhile, and resolves when that transaction is on disk.
 */
export function createEventStore({ db, platform, onError = () => {} }: EventStoreOptions): IssueStore {
  const attribution = createAttribution(db)
  const commit = groupCommit({
    db,
    work: (prepare, prepared: Prepared) =>
      recordEvent({ prepare, platform, attribute: attribution.attribute }, prepared),
  })
  let background: Promise<void> = Promise.resolve()

  return {
    async append(productId: number, event: NormalEvent) {
      return commit(prepareEvent(productId, event))
    },

    async recordDropped(productId, drops) {
      if (drops.length === 0) return
      await db.batch((prepare) => {
        const statement = prepare(
          `INSERT INTO dropped_by_sdk (product_id, reason, category, quantity) VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity`,
        )
        for (const { reason, category, quantity } of drops) statement.run(productId, reason, category, quantity)
      })
    },

    componentsChanged(productId) {
      attribution.forget(productId)
      background = background.then(() => attribution.reattribute(productId)).catch(onError)
    },

    idle: () => background,
  }
}
