import type { ServerResponse } from 'node:http'

/**
 * How long a request takes up what its sender may use: until its response has ended, and whatever else extends it. A call
 * in a session goes on when its client disconnects.
 */
export class Lifetime {
  #parts = 1
  readonly #listeners: (() => void)[] = []

  constructor(outgoing: ServerResponse) {
    // No event would end it any more.
    if (outgoing.closed) this.#parts = 0
    else outgoing.once('close', () => this.#end())
  }

  /** Extends it, while it lasts, until the returned function is called once. */
  extend(): () => void {
    this.#parts += 1
    return () => this.#end()
  }

  /** Calls `listener` when it ends. */
  onEnd(listener: () => void): void {
    this.#listeners.push(listener)
  }

  #end(): void {
    this.#parts -= 1
    if (this.#parts === 0) for (const listener of this.#listeners.splice(0)) listener()
  }
}
