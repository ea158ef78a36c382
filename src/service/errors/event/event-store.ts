import type { NormalEvent } from './event.ts'
import type { PreparedEvent } from './prepared-event.ts'

/** What an SDK says it dropped before sending (`client_report` items). */
export interface Drop {
  reason: string
  category: string
  quantity: number
}

/** Where accepted events go. */
export interface EventStore {
  /**
   * Resolves once the event is on disk, with the occurrence's service-assigned id. A second event with the same
   * `sdk_event_id` in the product changes nothing and resolves to the id of the first one. Rejects with `unavailable`
   * when the store cannot write now. `vouched` when the event came with a server key; such an event is not a duplicate of
   * one that came with a public key.
   */
  append(
    productId: number,
    event: NormalEvent,
    options?: { vouched?: boolean },
  ): Promise<{ id: string; duplicate: boolean }>
  /** Symbolicates, groups and packs an event, which is not needed any more then. */
  prepare(productId: number, event: NormalEvent): Promise<PreparedEvent>
  /** As `append`, for an event that was prepared here or in another thread. */
  appendPrepared(
    productId: number,
    event: PreparedEvent,
    options?: { vouched?: boolean },
  ): Promise<{ id: string; duplicate: boolean }>
  /** Adds to the product's counters, which are written a little later. */
  recordDropped(productId: number, drops: readonly Drop[]): void
}
