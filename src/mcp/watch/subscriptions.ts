import { ServiceError } from '../../errors.ts'
import type { CallFacts } from '../call/call-tool.ts'
import type { Listing } from '../surface/listing.ts'
import { isTemporary, type Listener, type Polls } from './polls.ts'
import { findWatched } from './watched.ts'

/** Addresses that one connection, session or stream may watch. */
export const ADDRESSES = 50

/** Where the subscriptions of a session are kept for all processes. */
export interface KeptSubscriptions {
  /** Keeps an address with the digest that its client knows; resolves to false above `most` addresses. */
  add(this: void, uri: string, digest: string, most: number): Promise<boolean>
  /** The client was told of the state with this digest. */
  told(this: void, uri: string, digest: string): Promise<void>
  remove(this: void, uri: string): Promise<void>
}

export interface SubscriptionOptions {
  listing: Listing
  facts: CallFacts
  polls: Polls
  /** Called once per change of an address, however many subscribers it has. */
  updated(this: void, uri: string): void
  /** False while the connection has no way to the client. */
  isListening?: (() => boolean) | undefined
  kept?: KeptSubscriptions | undefined
}

interface Open {
  subscribers: Set<string>
  listener: Listener
  /** Other processes know of it. */
  isKept: boolean
  leave: Promise<() => void>
}

/** The resource subscriptions of one connection, session or stream. */
export class Subscriptions {
  readonly #open = new Map<string, Open>()
  readonly #options: SubscriptionOptions

  constructor(options: SubscriptionOptions) {
    this.#options = options
  }

  /**
   * Watches an address for a subscriber. Rejects with `not_found` when there is nothing to watch or the caller may not
   * read it, with `failed_precondition` above 50 addresses.
   */
  async add(uri: string, subscriber: string): Promise<void> {
    const open = this.#open.get(uri) ?? this.#watch(uri)
    open.subscribers.add(subscriber)
    await open.leave
  }

  /**
   * Watches an address for the session. Where several processes serve it, the one where its client listens does; rejects as
   * `add` does.
   */
  async subscribe(uri: string): Promise<void> {
    await this.add(uri, uri)
    const { kept, isListening = () => true } = this.#options
    const open = this.#open.get(uri)
    if (kept === undefined || open === undefined) return
    open.isKept = await kept.add(uri, open.listener.seen ?? '', ADDRESSES)
    if (open.isKept && isListening()) return
    this.remove(uri, uri)
    if (!open.isKept) throw tooMany()
  }

  async unsubscribe(uri: string): Promise<void> {
    this.remove(uri, uri)
    await this.#options.kept?.remove(uri)
  }

  /** Watches what the session subscribes to in any process, and tells of what has changed since its client was told. */
  async follow(addresses: readonly { uri: string; digest: string }[]): Promise<void> {
    const uris = new Set(addresses.map(({ uri }) => uri))
    for (const [uri, { isKept }] of this.#open) if (isKept && !uris.has(uri)) this.#end(uri)
    const missing = addresses.filter(({ uri }) => !this.#open.has(uri))
    await Promise.all(missing.map(({ uri, digest }) => this.#resume(uri, digest)))
  }

  /** Leaves what is kept to the process where the client listens next. */
  rest(): void {
    for (const [uri, { isKept }] of this.#open) if (isKept) this.#end(uri)
  }

  /** A state that cannot be read now is read again when the session is followed next; what is gone has changed. */
  async #resume(uri: string, digest: string): Promise<void> {
    try {
      const open = this.#watch(uri, digest)
      open.subscribers.add(uri)
      open.isKept = true
      await open.leave
    } catch (error) {
      if (isTemporary(error)) return
      this.#options.updated(uri)
      await this.#options.kept?.remove(uri).catch(() => undefined)
    }
  }

  remove(uri: string, subscriber: string): void {
    const open = this.#open.get(uri)
    if (open?.subscribers.delete(subscriber) === true && open.subscribers.size === 0) this.#end(uri)
  }

  /** Ends everything that the subscriber watches. */
  drop(subscriber: string): void {
    for (const uri of this.#open.keys()) this.remove(uri, subscriber)
  }

  close(): void {
    for (const uri of this.#open.keys()) this.#end(uri)
  }

  #watch(uri: string, seen?: string): Open {
    const { listing, facts, polls, updated, isListening = () => true, kept } = this.#options
    const watched = findWatched(uri, listing, facts)
    if (watched === undefined) throw new ServiceError('not_found', 'this address cannot be subscribed to')
    if (this.#open.size >= ADDRESSES) throw tooMany()
    const listener: Listener = {
      seen,
      isListening,
      changed(digest) {
        updated(uri)
        // If it is not noted, the client is told again at worst.
        kept?.told(uri, digest).catch(() => undefined)
      },
      ended: () => {
        this.#open.delete(uri)
        updated(uri)
        // What no one has heard is found out again when the client listens.
        if (isListening()) kept?.remove(uri).catch(() => undefined)
      },
    }
    const leave = polls.watch(watched.key, watched.read, listener)
    const open = { subscribers: new Set<string>(), listener, isKept: false, leave }
    this.#open.set(uri, open)
    leave.catch(() => {
      if (this.#open.get(uri) === open) this.#open.delete(uri)
    })
    return open
  }

  #end(uri: string): void {
    const open = this.#open.get(uri)
    this.#open.delete(uri)
    // What could not be started has already ended.
    open?.leave.then(
      (leave) => leave(),
      () => undefined,
    )
  }
}

function tooMany(): ServiceError {
  return new ServiceError('failed_precondition', `at most ${String(ADDRESSES)} addresses can be subscribed to at once`)
}
