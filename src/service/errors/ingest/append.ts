import type { ServiceError } from '../../../errors.ts'
import type { EventStore } from '../event/event-store.ts'
import type { Platform } from '../../shared/context.ts'
import { createPace } from '../../shared/pace.ts'
import { readBatch, type Batch } from './batch.ts'
import type { EventThread } from './event-thread.ts'
import type { IngestLimits } from './limits.ts'
import { createWaitingRoom } from './waiting-room.ts'

/** Whose events they are. */
interface Sender {
  productId: number
  /** They came with a server key. */
  vouched: boolean
}

interface Appended {
  /** SDK ids of the stored events. */
  ids: string[]
  /** Why the other payloads are not events. */
  refused: ServiceError[]
}

/** Reads the payloads of a request and stores its events; resolves once they are on disk. */
export interface AppendBatch {
  (batch: Batch, sender: Sender): Promise<Appended>
  /** Bytes of events that are not on disk yet. */
  waitingBytes(this: void): number
}

export interface AppendOptions {
  store: EventStore
  platform: Platform
  limits: Pick<IngestLimits, 'eventBytes' | 'waitingBytes'>
  /** Reads events while many arrive; without it, this thread reads all. */
  thread?: EventThread | undefined
}

/** Requests that this thread reads and stores at the same time; the others go to the thread of events. */
const FEW = 4

/** Few events are read here, which answers soonest. Where many arrive, another thread reads them while this one writes. */
export function createAppend(options: AppendOptions): AppendBatch {
  const { platform, store, thread, limits } = options
  const pace = createPace()
  const reading = { maxBytes: limits.eventBytes, newId: () => platform.newId(), pace }
  const room = createWaitingRoom(limits.waitingBytes)
  let here = 0

  function appendHere(batch: Batch, sender: Sender): Promise<Appended> {
    return batch.payloads.length > 1 ? appendSeveral(batch, sender) : appendOne(batch, sender)
  }

  async function appendOne(batch: Batch, { productId, vouched }: Sender): Promise<Appended> {
    const { taken, refused } = await readBatch(batch, reading, async (event) => {
      await store.append(productId, event, { vouched })
      return event.sdk_event_id
    })
    return { ids: taken, refused }
  }

  /** Each is packed before the next one is parsed. */
  async function appendSeveral(batch: Batch, { productId, vouched }: Sender): Promise<Appended> {
    const stored: Promise<unknown>[] = []
    const { taken, refused } = await readBatch(batch, reading, async (event) => {
      const prepared = store.prepare(productId, event)
      // While the others are read, so that they share commits.
      const one = prepared.then((ready) => store.appendPrepared(productId, ready, { vouched }))
      one.catch(ignore)
      stored.push(one)
      await prepared.catch(ignore)
      return event.sdk_event_id
    })
    // If the sender repeats the request after a failure, events that were stored change nothing.
    await Promise.all(stored)
    return { ids: taken, refused }
  }

  async function countHere(batch: Batch, sender: Sender): Promise<Appended> {
    here += 1
    return appendHere(batch, sender).finally(() => (here -= 1))
  }

  async function append(batch: Batch, sender: Sender): Promise<Appended> {
    const { productId, vouched } = sender
    const isMany = thread !== undefined && (thread.isBusy() || here >= FEW)
    if (!isMany || batch.payloads.length === 0) return countHere(batch, sender)
    const read = await thread.read(productId, batch).catch(() => undefined)
    // The thread ended, or source maps changed meanwhile: this one reads as if there were few.
    if (read === undefined) return appendHere(batch, sender)
    const { events, refused } = read
    await Promise.all(events.map((event) => store.appendPrepared(productId, event, { vouched })))
    return { ids: events.map(({ event }) => event.sdk_event_id), refused }
  }

  const appendInRoom = (batch: Batch, sender: Sender) =>
    room.enter(
      batch.payloads.reduce((sum, { length }) => sum + length, 0),
      () => append(batch, sender),
    )
  return Object.assign(appendInRoom, { waitingBytes: room.waiting })
}

function ignore(): void {}
