import { ServiceError } from '../../errors.ts'
import type { CallFacts } from '../call/call-tool.ts'
import type { Listing } from '../surface/listing.ts'
import type { Polls } from './polls.ts'
import { findWatched } from './watched.ts'

/** Addresses that one connection, session or stream may watch. */
const ADDRESSES = 50

export interface SubscriptionOptions {
  listing: Listing
  facts: CallFacts
  polls: Polls
  /** Called once per change of an address, however many subscribers it has. */
  updated(this: void, uri: string): void
  /** False while the connection has no way to the client. */
  isListening?: (() => boolean) | undefined
}

interface Open {
  subscribers: Set<string>
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

  #watch(uri: string): Open {
    const { listing, facts, polls, updated, isListening = () => true } = this.#options
    const watched = findWatched(uri, listing, facts)
    if (watched === undefined) throw new ServiceError('not_found', 'this address cannot be subscribed to')
    if (this.#open.size >= ADDRESSES) {
      throw new ServiceError(
        'failed_precondition',
        `at most ${String(ADDRESSES)} addresses can be subscribed to at once`,
      )
    }
    const changed = () => updated(uri)
    const ended = () => {
      this.#open.delete(uri)
      changed()
    }
    const leave = polls.watch(watched.key, watched.read, { changed, ended, isListening })
    const open = { subscribers: new Set<string>(), leave }
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
