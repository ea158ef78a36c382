import { AsyncLocalStorage } from 'node:async_hooks'
import { InMemoryServerEventBus, type ServerEventBus } from '@modelcontextprotocol/server'

/** One stream of the 2026-07-28 revision that hears of changes. */
export interface ListenStream {
  updated(this: void, uri: string): void
}

/** A bus whose streams also hear what is meant for one of them alone. */
export interface ListenStreams {
  bus: ServerEventBus
  /** Runs the answer to a request; `updated` of its stream then reaches this stream and no other. */
  serve<T>(stream: ListenStream, answer: () => Promise<T>): Promise<T>
}

/** Without it a change that one token may see would be delivered to all who named the same address. */
export function createListenStreams(): ListenStreams {
  const everyone = new InMemoryServerEventBus()
  const serving = new AsyncLocalStorage<ListenStream>()
  return {
    bus: {
      publish: (event) => everyone.publish(event),
      subscribe(listener) {
        const stream = serving.getStore()
        if (stream !== undefined) stream.updated = (uri) => listener({ kind: 'resource_updated', uri })
        return everyone.subscribe(listener)
      },
    },
    serve: (stream, answer) => serving.run(stream, answer),
  }
}
