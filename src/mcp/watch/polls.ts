import { failures, ServiceError } from '../../errors.ts'
import { backgroundClock, type Clock } from '../../lib/clock.ts'
import { withoutTrace } from '../../lib/trace/context.ts'

/** How often a watched resource is read (decision 066). */
const POLL_MS = 15_000
/** The same while it will change soon (decision 068). */
const MOVING_POLL_MS = 2_000

/** What is told of changes. */
export interface Listener {
  /** The digest that it knows; by default the one of the first read. */
  seen?: string | undefined
  changed(this: void, digest: string): void
  /** The state is gone, or its reader may not read it any more: the last change. */
  ended(this: void): void
  /** False while a change would be told to no one. */
  isListening(this: void): boolean
}

/** What one read of a watched resource found. */
export interface ReadState {
  /** Differs when what the resource shows does. */
  digest: string
  /** It will change soon. */
  isMoving: boolean
}

/** The polls of one process. */
export interface Polls {
  /**
   * Reads the state at once and every 15 seconds, every 2 while it will change soon, and tells the listener of each state
   * that it has not seen; resolves to the function that ends it. Rejects when the state cannot be read. Listeners with
   * the same key share the reads.
   */
  watch(key: string, read: () => Promise<ReadState>, listener: Listener): Promise<() => void>
}

export function createPolls(clock: Clock = backgroundClock): Polls {
  const polls = new Map<string, Poll>()
  return {
    async watch(key, read, listener) {
      const known = polls.get(key)
      const poll = known ?? new Poll(read, clock, () => polls.delete(key))
      if (known === undefined) polls.set(key, poll)
      poll.listeners.add(listener)
      const leave = () => {
        if (poll.listeners.delete(listener) && poll.listeners.size === 0) poll.end()
      }
      await poll.started.catch((error: unknown) => {
        leave()
        throw error
      })
      poll.tell(listener)
      return leave
    },
  }
}

/** Reads of one resource with one caller's token, for all who listen to it. */
class Poll {
  readonly listeners = new Set<Listener>()
  readonly started: Promise<void>
  readonly #read: () => Promise<ReadState>
  readonly #clock: Clock
  readonly #onEnd: () => void
  #state: ReadState = { digest: '', isMoving: false }
  #isOver = false
  #cancel = () => {}

  constructor(read: () => Promise<ReadState>, clock: Clock, onEnd: () => void) {
    this.#read = read
    this.#clock = clock
    this.#onEnd = onEnd
    this.started = this.#start()
  }

  /** Tells the listener of the last state that was read, unless it has seen it or would tell no one. */
  tell(listener: Listener): void {
    const { digest } = this.#state
    listener.seen ??= digest
    if (listener.seen === digest || !listener.isListening()) return
    listener.seen = digest
    listener.changed(digest)
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancel()
    this.#onEnd()
  }

  async #start(): Promise<void> {
    this.#state = await this.#read()
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isOver) return
    const delayMs = this.#state.isMoving ? MOVING_POLL_MS : POLL_MS
    this.#cancel = this.#clock.after(delayMs, () => void withoutTrace(() => this.#poll()))
  }

  async #poll(): Promise<void> {
    const isHeard = [...this.listeners].some((listener) => listener.isListening())
    if (isHeard) await this.#compare()
    this.#schedule()
  }

  /** What is gone or no longer permitted has changed for the last time. */
  async #compare(): Promise<void> {
    try {
      const state = await this.#read()
      if (this.#isOver) return
      this.#state = state
      for (const listener of this.listeners) this.tell(listener)
    } catch (error) {
      if (this.#isOver || isTemporary(error)) return
      this.end()
      for (const listener of this.listeners) listener.ended()
    }
  }
}

/** Whether the same read may succeed later. */
export function isTemporary(error: unknown): boolean {
  return error instanceof ServiceError && failures[error.code].repeat === 'later'
}
