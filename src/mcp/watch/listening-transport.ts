import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from '@modelcontextprotocol/server'
import { refusedListen } from '../tasks/listen.ts'
import { listenerName, readListen, watchListened, type Listen } from './listen.ts'
import type { Subscriptions } from './subscriptions.ts'

/**
 * A transport that watches what its client listens to in the 2026-07-28 revision. The SDK answers these requests itself
 * and delivers each update to the streams that asked for it, but does not say what they ask for.
 */
export class ListeningTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void
  readonly #wire: Transport
  readonly #subscriptions: Subscriptions
  /** Requests whose addresses are being read for the first time. */
  readonly #starting = new Set<string>()

  constructor(wire: Transport, subscriptions: Subscriptions) {
    this.#wire = wire
    this.#subscriptions = subscriptions
  }

  start(): Promise<void> {
    this.#wire.onmessage = (message, extra) => this.#receive(message, extra)
    this.#wire.onerror = (error) => this.onerror?.(error)
    this.#wire.onclose = () => {
      this.#subscriptions.close()
      this.onclose?.()
    }
    return this.#wire.start()
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.#wire.send(message, options)
  }

  close(): Promise<void> {
    return this.#wire.close()
  }

  #receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    const refused = refusedListen(message)
    if (refused !== undefined) return void this.#wire.send(refused).catch(() => undefined)
    const listen = readListen(message)
    if (listen !== undefined) void this.#listen(listen, extra)
    else if (!this.#isCancelledListen(message)) this.onmessage?.(message, extra)
  }

  async #listen(listen: Listen, extra: MessageExtraInfo | undefined): Promise<void> {
    const name = listenerName(listen.id)
    this.#starting.add(name)
    const watched = await watchListened(listen, this.#subscriptions)
    if (this.#starting.delete(name)) this.onmessage?.(watched as unknown as JSONRPCMessage, extra)
    else this.#subscriptions.drop(name)
  }

  /** Ends the watching of a cancelled request; true if the SDK has not seen the request yet. */
  #isCancelledListen(message: JSONRPCMessage): boolean {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return false
    const name = listenerName(message.params?.['requestId'])
    this.#subscriptions.drop(name)
    return this.#starting.delete(name)
  }
}
