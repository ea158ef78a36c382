import type { StreamFacts } from '../../contract/base/endpoint.ts'
import { ServiceError } from '../../errors.ts'
import { broken, openConnection, type Connecting, type Connection } from './connection.ts'
import type { StreamPart } from './parts.ts'
import { StreamPlace, type Item } from './place.ts'

/** What a stream needs of the client that it belongs to. */
export interface StreamCall extends Connecting {
  /** The item of a part; undefined for a part without one. Throws the failure that the part reports. */
  read(this: void, part: StreamPart): Item | undefined
  /** The next piece of a connection; rejects as `repeat` expects when the connection breaks. */
  arrived<T>(this: void, next: () => Promise<T>): Promise<T>
  /** Repeats an attempt whose connection broke before a new item, a limited number of times with growing waits. */
  repeat<T>(this: void, attempt: () => Promise<T>): Promise<T>
}

/**
 * The items of a numbered stream, each once and in order, over as many connections as it takes. A connection that is cut or
 * silent for 45 seconds is followed by another one after the last number. Ends after the last item, and when the service
 * says that nothing follows or repeats a last item that the reader has seen. Rejects when several connections in a row
 * bring nothing new, and at once with a failure that another connection does not change.
 */
export async function* readStream(call: StreamCall): AsyncGenerator<Item, void> {
  const reader = new StreamReader(call)
  try {
    for (;;) {
      const items = await call.repeat(() => reader.next())
      if (items === undefined) return
      for (const item of items) {
        yield item
        if (isLast(call.endpoint.stream, item)) return
      }
    }
  } finally {
    reader.close()
  }
}

function isLast({ member, last }: StreamFacts, item: Item): boolean {
  const value = item[member] as Item | undefined
  return value?.[last.member] === last.value
}

/** Reads one connection after another. */
class StreamReader {
  readonly #call: StreamCall
  readonly #place: StreamPlace
  #connection: Connection | undefined

  constructor(call: StreamCall) {
    this.#call = call
    const { stream } = call.endpoint
    this.#place = new StreamPlace(stream, call.request[stream.resume])
  }

  /** The next new items; undefined when none follow. Rejects when the connection ends. */
  async next(): Promise<Item[] | undefined> {
    const { arrived } = this.#call
    this.#requireKnownPlace()
    try {
      this.#connection ??= await openConnection(this.#call, this.#place.after)
      const connection = this.#connection
      return connection === undefined ? undefined : await arrived(() => this.#nextNew(connection))
    } catch (error) {
      this.close()
      throw error
    }
  }

  close(): void {
    this.#connection?.close()
    this.#connection = undefined
  }

  async #nextNew({ parts }: Connection): Promise<Item[] | undefined> {
    for (;;) {
      const { done, value: part } = await parts.next()
      if (done === true) throw broken('STREAM_ENDED')
      const item = this.#call.read(part)
      if (item === undefined) continue
      const items = this.#place.take(item)
      if (items === undefined) throw broken('ITEMS_MISSING')
      if (items.length > 0) return items
      if (isLast(this.#call.endpoint.stream, item)) return undefined
    }
  }

  /** A reader can connect again only if it knows the number to continue after. */
  #requireKnownPlace(): void {
    if (this.#connection !== undefined || this.#place.isKnown) return
    const message = 'the stream was cut, and its items have no numbers to continue after'
    throw new ServiceError('unavailable', message)
  }
}
