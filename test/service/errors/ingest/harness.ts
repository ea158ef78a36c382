import type { Send, WireReply, WireRequest } from '../../../../src/contract/base/wire.ts'
import type { Drop, EventStore } from '../../../../src/service/errors/event/event-store.ts'
import type { NormalEvent } from '../../../../src/service/errors/event/event.ts'
import type { PreparedEvent } from '../../../../src/service/errors/event/prepared-event.ts'
import { createIngest } from '../../../../src/service/errors/ingest/index.ts'
import type { DsnKey } from '../../../../src/service/errors/ingest/keys.ts'
import type { IngestLimits } from '../../../../src/service/errors/ingest/limits.ts'

export const KEY = '0123456789abcdef0123456789abcdef'
export const OTHER_KEY = 'fedcba9876543210fedcba9876543210'
export const EVENT_ID = '9f1c3a5e7b2d4c6a8e0f1a2b3c4d5e6f'
export const NOW = Date.UTC(2026, 10, 21, 12)

/** Events in a map per product, as the real store keeps them: the first of an id wins. */
class MemoryStore implements EventStore {
  readonly events: NormalEvent[] = []
  readonly drops: Drop[] = []
  failure: Error | undefined
  /** Every write waits for it. */
  ready: Promise<void> | undefined

  async append(_productId: number, event: NormalEvent): Promise<{ id: string; duplicate: boolean }> {
    if (this.failure) throw this.failure
    if (this.ready) await this.ready
    const duplicate = this.events.some(({ sdk_event_id: id }) => id === event.sdk_event_id)
    if (!duplicate) this.events.push(event)
    return { id: `occurrence of ${event.sdk_event_id}`, duplicate }
  }

  prepare(_productId: number, event: NormalEvent): Promise<PreparedEvent> {
    // Nothing but `appendPrepared` reads it.
    return Promise.resolve({ event } as unknown as PreparedEvent)
  }

  appendPrepared(productId: number, { event }: PreparedEvent): Promise<{ id: string; duplicate: boolean }> {
    return this.append(productId, event as NormalEvent)
  }

  recordDropped(_productId: number, drops: readonly Drop[]): void {
    this.drops.push(...drops)
  }
}

export interface Door {
  send: Send
  store: MemoryStore
  errors: unknown[]
  /** What was told of refusals that stay until somebody corrects them. */
  refused: string[]
  clock: { now: number }
  /** Posts to `/api/7/envelope/` with the key in the query, unless told otherwise. */
  post: (body: WireRequest['body'] | string, change?: Partial<Request>) => Promise<WireReply>
}

interface Request {
  path: string
  method: string
  headers: Record<string, string>
}

const productKey: DsnKey = { productId: 7, ratePerSecond: null, burst: null, vouches: false }

/** The ingest surface over a store in memory, with one key of product 7 and one of product 8. */
export function openDoor({ limits, key = productKey }: { limits?: Partial<IngestLimits>; key?: DsnKey } = {}): Door {
  const store = new MemoryStore()
  const errors: unknown[] = []
  const refused: string[] = []
  const clock = { now: NOW }
  const known: Record<string, DsnKey> = { [KEY]: key, [OTHER_KEY]: { ...productKey, productId: 8 } }
  let ids = 0
  const { send } = createIngest({
    store,
    keys: { find: (publicKey) => Promise.resolve(Object.hasOwn(known, publicKey) ? known[publicKey] : undefined) },
    platform: {
      now: () => clock.now,
      newId: () => `00000000-0000-7000-8000-${String((ids += 1)).padStart(12, '0')}`,
    },
    limits: { refusalDelayMs: 0, ...limits },
    onError: (error) => errors.push(error),
    onRefused: ({ message }) => refused.push(message),
  })
  return {
    send,
    store,
    errors,
    refused,
    clock,
    post: (body, { path = `/api/7/envelope/?svc_key=${KEY}`, method = 'POST', headers = {} } = {}) =>
      send({
        method,
        url: `http://127.0.0.1:4319${path}`,
        headers,
        ...(body !== undefined && { body: typeof body === 'string' ? Buffer.from(body) : body }),
      }),
  }
}

export interface Item {
  header: Record<string, unknown>
  payload: string | Uint8Array
}

/** An envelope as SDKs write it: `length` only where an item's header names it. */
export function envelope(header: object, ...items: Item[]): Buffer {
  const parts: Uint8Array[] = [Buffer.from(JSON.stringify(header))]
  for (const item of items) {
    const payload = typeof item.payload === 'string' ? Buffer.from(item.payload) : item.payload
    parts.push(Buffer.from(`\n${JSON.stringify(item.header)}\n`), payload)
  }
  return Buffer.concat(parts)
}

export function eventItem(payload: unknown): Item {
  return { header: { type: 'event' }, payload: JSON.stringify(payload) }
}

export function jsonOf(reply: WireReply): unknown {
  if (typeof reply.body !== 'string') throw new Error('the ingest answers with text')
  return JSON.parse(reply.body)
}
