import type {
  JSONRPCMessage,
  JSONRPCRequest,
  MessageExtraInfo,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server'
import { withTrace, type TraceContext } from '../../lib/trace/context.ts'
import type { Span } from '../../lib/trace/span.ts'
import { beginRequest, isModern, responseOutcome, type SpanOptions } from '../trace/request-span.ts'
import { isListen, refusedListen } from '../tasks/listen.ts'
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
  readonly #options: SpanOptions
  /** Requests whose addresses are being read for the first time. */
  readonly #starting = new Set<string>()
  readonly #spans = new Map<string, Span>()

  constructor(wire: Transport, subscriptions: Subscriptions, options: SpanOptions = {}) {
    this.#wire = wire
    this.#subscriptions = subscriptions
    this.#options = options
  }

  start(): Promise<void> {
    this.#wire.onmessage = (message, extra) => this.#receive(message, extra)
    this.#wire.onerror = (error) => this.onerror?.(error)
    this.#wire.onclose = () => {
      this.#subscriptions.close()
      for (const name of this.#spans.keys()) this.#end(name)
      this.onclose?.()
    }
    return this.#wire.start()
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    // What a request to listen asked for is watched before it may turn out to be refused.
    if ('error' in message) this.#subscriptions.drop(listenerName(message.id))
    if (this.#spans.size > 0 && !('method' in message)) this.#end(listenerName(message.id), responseOutcome(message))
    return this.#wire.send(message, options)
  }

  close(): Promise<void> {
    return this.#wire.close()
  }

  #receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if (isListen(message)) withTrace(this.#begin(message), () => this.#receiveListen(message, extra))
    else if (!this.#isCancelledListen(message)) this.onmessage?.(message, extra)
  }

  #receiveListen(message: JSONRPCRequest, extra: MessageExtraInfo | undefined): void {
    const refused = refusedListen(message)
    if (refused !== undefined) return void this.send(refused).catch(() => undefined)
    const listen = readListen(message)
    if (listen === undefined) this.onmessage?.(message, extra)
    else void this.#listen(listen, extra)
  }

  /** Begins the span of the stream, which ends with it; a stream that was opened ends without an error. */
  #begin(message: JSONRPCRequest): TraceContext | undefined {
    // The server answers and records it in the 2025 revisions, which do not know it.
    if (!isModern(message)) return undefined
    const { span, position } = beginRequest(message, this.#options)
    if (span !== undefined) this.#spans.set(listenerName(message.id), span)
    return position
  }

  #end(name: string, outcome: ReturnType<typeof responseOutcome> = {}): void {
    this.#spans.get(name)?.end(outcome)
    this.#spans.delete(name)
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
    this.#end(name)
    return this.#starting.delete(name)
  }
}
