import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  WebStandardStreamableHTTPServerTransport,
  type JSONRPCMessage,
  type McpServer,
  type RequestId,
} from '@modelcontextprotocol/server'
import { hasLongUri, URI_TOO_LONG } from '../call/check-params.ts'
import type { KeptSubscriptions, Subscriptions } from '../watch/subscriptions.ts'
import { webRequest, writeResponse } from './exchange.ts'
import type { Lifetime } from './lifetime.ts'
import { cancelledRequest, readAnswer, repeatedId, requestId, withSender } from './message-ids.ts'
import { writeProblem } from './problem.ts'
import type { KeptAddress, SessionMessage, SessionStore } from './session-store.ts'

/** The server of a session with its subscriptions. */
export interface BuiltSession {
  server: McpServer
  subscriptions: Subscriptions
  /** Whether its token is still valid, as far as the service can be asked. */
  isPermitted(this: void): Promise<boolean>
}

/** Builds the server of a session; `isListening` tells whether its client has a stream open here. */
export type BuildSession = (use: { isListening: () => boolean; kept: KeptSubscriptions | undefined }) => BuiltSession

export interface LiveOptions {
  id: string
  /** The name of this process. */
  process: string
  store: SessionStore
  build: BuildSession
  now: () => number
}

/** The requests of one POST that are answered here. */
interface Posted {
  open: Set<unknown>
  cancelled: RequestId[]
  /** Called when the last of them has ended. */
  ended(this: void): void
}

/**
 * The transport refuses a second stream of notifications with it. A client that asks for one has lost the first, and
 * without a word of that, as when a laptop slept, its connection takes a quarter of an hour to end.
 */
const STREAM_IS_OPEN = 409
const REPLAYED_HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

/** A session as one process serves it: its server, its open streams and its running calls. */
export class LiveSession {
  readonly id: string
  /** When its client used it here last, in epoch milliseconds. */
  usedAt: number
  readonly #options: LiveOptions
  readonly #transport: WebStandardStreamableHTTPServerTransport
  readonly #built: BuiltSession
  /** The transport keeps the id of a request until it has an answer, which nobody gets once the response has ended. */
  readonly #forget: (id: RequestId) => void
  /** What each request that runs here was sent with, also one whose client has disconnected. */
  readonly #running = new Map<unknown, Posted>()
  /** Open streams for what is not the answer to a request. */
  #streams = 0
  #following: Promise<void> | undefined

  constructor(options: LiveOptions) {
    const { id, store, process } = options
    const { others } = store
    this.id = id
    this.usedAt = options.now()
    this.#options = options
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => store.remove(id),
    })
    const send = this.#transport.send.bind(this.#transport)
    this.#forget = (id) => {
      const error = { code: -32_800, message: 'cancelled' }
      send({ jsonrpc: '2.0', id, error }).catch(() => undefined)
    }
    this.#transport.send = async (message, sending) => {
      try {
        await send(withSender(message, process), sending)
      } finally {
        if (!('method' in message)) this.#settle(message.id)
      }
    }
    this.#built = options.build({
      isListening: () => this.isListening,
      kept: others && {
        add: (uri, digest, most) => others.subscribe(id, { uri, digest }, most),
        told: (uri, digest) => others.told(id, { uri, digest }),
        remove: (uri) => others.unsubscribe(id, uri),
      },
    })
  }

  isPermitted(): Promise<boolean> {
    return this.#built.isPermitted()
  }

  /** Whether the client has a stream open here. */
  get isListening(): boolean {
    return this.#streams > 0
  }

  /** Whether something of another process may concern this one. */
  get isBusy(): boolean {
    return this.isListening || this.#running.size > 0
  }

  /** Calls `onEnd` when the session has ended here. */
  async connect(onEnd: () => void): Promise<void> {
    await this.#built.server.connect(this.#transport)
    const ended = this.#transport.onclose
    this.#transport.onclose = () => {
      ended?.()
      for (const posted of new Set(this.#running.values())) this.#drop(posted)
      onEnd()
    }
  }

  /** Lets the session begin as its client began it at another process. */
  async resume(initialize: string): Promise<void> {
    await this.#replay(JSON.parse(initialize))
    await this.#replay({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  async #replay(parsedBody: unknown): Promise<void> {
    const headers = { ...REPLAYED_HEADERS, 'mcp-session-id': this.id }
    const request = new Request('http://localhost/mcp', { method: 'POST', headers })
    const response = await this.#transport.handleRequest(request, { parsedBody })
    await response.text()
  }

  /** The answer to the request that opens the session, before it is written. */
  initialize(incoming: IncomingMessage, outgoing: ServerResponse, body: unknown): Promise<Response> {
    return this.#transport.handleRequest(webRequest(incoming, outgoing), { parsedBody: body })
  }

  /** Answers a request of the session; what another process waits for is passed on. */
  async handle(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { body, lifetime }: { body: unknown; lifetime: Lifetime },
  ): Promise<void> {
    this.usedAt = this.#options.now()
    const isBatch = Array.isArray(body)
    const messages: unknown[] = isBatch ? body : [body]
    const here: unknown[] = []
    for (const message of messages) {
      const { to, message: given } = this.#recipient(message)
      if (to === this.#options.process) here.push(given)
      else if (!(await this.#pass(to, given))) {
        return writeProblem(outgoing, 429, 'too many messages wait for this session', {
          headers: { 'retry-after': '2' },
        })
      }
    }
    if (here.length === 0 && messages.length > 0) return void outgoing.writeHead(202).end()
    const running = here.map(requestId).find((id) => this.#running.has(id))
    // The transport would send the first of two answers to the second of two requests, and nothing to the first.
    if (running !== undefined) {
      return writeProblem(outgoing, 400, 'a request with this id is running', { code: -32_600, id: running })
    }
    // A request is known by its id: the second one would get no answer, and would not count while it runs.
    const repeated = repeatedId(here)
    if (repeated !== undefined) {
      const message = 'two requests of this batch have the same id'
      return writeProblem(outgoing, 400, message, { code: -32_600, id: repeated })
    }
    const long = here.find(hasLongUri)
    if (long !== undefined) {
      return writeProblem(outgoing, 400, URI_TOO_LONG, { code: -32_602, id: requestId(long) ?? null })
    }
    if (incoming.method === 'GET') this.#countStream(outgoing)
    const request = webRequest(incoming, outgoing)
    const posted = this.#begin(here, lifetime)
    const answer = () => this.#transport.handleRequest(request, { parsedBody: isBatch ? here : here[0] })
    let response = await answer()
    if (response.status === STREAM_IS_OPEN) {
      this.#transport.closeStandaloneSSEStream()
      response = await answer()
    }
    if (!response.ok) this.#drop(posted)
    for (const message of here) this.#cancel(message)
    return writeResponse(outgoing, response)
  }

  #recipient(message: unknown): { to: string; message: unknown } {
    const answer = readAnswer(message)
    if (answer !== undefined) return answer
    const cancelled = cancelledRequest(message)
    const isElsewhere = cancelled !== undefined && !this.#running.has(cancelled)
    return { to: isElsewhere ? '' : this.#options.process, message }
  }

  /** Where there is no other process, nobody waits for it. */
  async #pass(to: string, message: unknown): Promise<boolean> {
    const { store, now } = this.#options
    const passed = store.others?.post({ session: this.id, to, body: JSON.stringify(message) }, now())
    return (await passed) ?? true
  }

  #countStream(outgoing: ServerResponse): void {
    if (outgoing.closed) return
    this.#streams += 1
    outgoing.once('close', () => {
      this.#streams -= 1
      if (!this.isListening) this.#built.subscriptions.rest()
    })
  }

  #begin(messages: readonly unknown[], lifetime: Lifetime): Posted {
    const open = new Set(messages.map(requestId).filter((id) => id !== undefined))
    const posted: Posted = { open, cancelled: [], ended: open.size > 0 ? lifetime.extend() : () => undefined }
    for (const id of open) this.#running.set(id, posted)
    return posted
  }

  /** Ends requests that nothing answers any more. */
  #drop(posted: Posted): void {
    if (posted.open.size === 0) return
    for (const id of posted.open) this.#running.delete(id)
    posted.open.clear()
    posted.ended()
  }

  /** A request that its client has cancelled is not answered. */
  #cancel(message: unknown): void {
    const id = cancelledRequest(message)
    // By then the call has been told, and has sent what it had to say.
    if (this.#running.has(id)) setImmediate(() => this.#settle(id, true))
  }

  /** Ends the response when the last of its requests has ended: the transport waits for an answer to each. */
  #settle(id: unknown, isCancelled = false): void {
    const posted = this.#running.get(id)
    if (posted === undefined) return
    this.#running.delete(id)
    posted.open.delete(id)
    // It is an id of a request that the transport has taken.
    if (isCancelled) posted.cancelled.push(id as RequestId)
    if (posted.open.size > 0) return
    posted.ended()
    if (posted.cancelled.length === 0) return
    this.#transport.closeSSEStream(id as RequestId)
    posted.cancelled.forEach(this.#forget)
  }

  /** Takes a message that a client sent to another process; returns whether nobody else waits for it. */
  receive({ to, body }: SessionMessage): boolean {
    const message: unknown = JSON.parse(body)
    const isHere = to === this.#options.process || (to === '' && this.#running.has(cancelledRequest(message)))
    // Another process of this program has read it from its client.
    if (isHere) this.#transport.onmessage?.(message as JSONRPCMessage)
    if (isHere) this.#cancel(message)
    return isHere
  }

  /** Watches the addresses that the client subscribed to at any process, while it listens here. */
  follow(addresses: readonly KeptAddress[]): void {
    if (!this.isListening || this.#following !== undefined) return
    this.#following = this.#built.subscriptions.follow(addresses).finally(() => (this.#following = undefined))
  }

  close(): Promise<void> {
    return this.#built.server.close()
  }
}
