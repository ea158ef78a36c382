import { ServiceError } from '../../errors.ts'
import { arrived } from '../exchange.ts'
import { repeat, Transient, type RepeatOptions } from '../retry.ts'
import { openConnection, type Connecting, type Connection } from './connection.ts'
import type { StreamEndpoint } from './item.ts'
import type { StreamPart } from './parts.ts'
import { StreamPlace, type Item } from './place.ts'

export interface StreamCall extends Connecting {
  read(this: void, part: StreamPart): Item | undefined
  /** How connections that bring nothing new are repeated. */
  repeatOptions: RepeatOptions
}

/**
 * The items of a numbered stream, each once and in order, over as many connections as it takes. A connection that is cut or
 * silent for 45 seconds is followed by another one after the last number. Ends after the last item and when the service
 * says that nothing follows. Rejects when several connections in a row bring nothing new, and at once with a failure that
 * another connection does not change.
 */
export async function* readStream(call: StreamCall): AsyncGenerator<Item, void> {
  const { last, member } = call.endpoint.stream
  const reader = new StreamReader(call)
  try {
    for (;;) {
      const items = await repeat(() => reader.next(), call.repeatOptions)
      if (items === undefined) return
      for (const item of items) {
        yield item
        const value = item[member] as Item | undefined
        if (value?.[last.member] === last.value) return
      }
    }
  } finally {
    reader.close()
  }
}

/** Reads one connection after the other. */
class StreamReader {
  readonly #call: StreamCall
  readonly #place: StreamPlace
  #connection: Connection | undefined

  constructor(call: StreamCall) {
    this.#call = call
    const { stream } = call.endpoint
    this.#place = new StreamPlace(stream, call.request[stream.resume])
  }

  /** The next items that are new; undefined when nothing follows. Rejects with a `Transient` when the connection is over. */
  async next(): Promise<Item[] | undefined> {
    try {
      this.#connection ??= await openConnection(this.#call, this.#place.after)
      return this.#connection === undefined ? undefined : await this.#nextNew(this.#connection)
    } catch (error) {
      this.close()
      throw error instanceof Transient && !this.#place.isKnown ? error.failure : error
    }
  }

  close(): void {
    this.#connection?.close()
    this.#connection = undefined
  }

  async #nextNew(connection: Connection): Promise<Item[]> {
    const { endpoint, exchange, read } = this.#call
    for (;;) {
      const { done, value: part } = await arrived(exchange, () => connection.parts.next())
      if (done === true) throw cut(endpoint, 'it ended early')
      const item = read(part)
      const items = item === undefined ? [] : this.#place.take(item)
      if (items === undefined) throw cut(endpoint, 'items are missing in it')
      if (items.length > 0) return items
    }
  }
}

function cut({ method, path }: StreamEndpoint, why: string): Transient {
  return new Transient(new ServiceError('unavailable', `the stream of ${method} ${path} was cut: ${why}`))
}
