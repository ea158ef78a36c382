import type { ServerResponse } from 'node:http'

/** Responses that stay open until their readers leave. */
export class OpenResponses {
  readonly #open = new Set<ServerResponse>()

  get size(): number {
    return this.#open.size
  }

  add(outgoing: ServerResponse): void {
    // No event would remove it any more.
    if (outgoing.closed) return
    this.#open.add(outgoing)
    outgoing.once('close', () => this.#open.delete(outgoing))
  }

  /** Ends all that are open. */
  end(): void {
    for (const outgoing of this.#open) outgoing.end()
  }
}
