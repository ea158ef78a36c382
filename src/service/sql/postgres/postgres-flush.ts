import { Client, type ClientConfig } from 'pg'
import { translate } from './postgres-failures.ts'

/** Resolves when everything that was committed before the call is on disk. */
export type Flush = () => Promise<void>

/**
 * Flushes commits that the server has not flushed itself, on a connection of its own, so that the next transaction of any
 * process need not wait for the disk (decision 100).
 */
export class CommitFlush {
  readonly #config: ClientConfig
  #open: { client: Client; flush: Flush } | undefined

  constructor(config: ClientConfig) {
    this.#config = config
  }

  /**
   * What flushes the commits from now on. Its connection is opened before they are made: a server that loses them in a crash
   * closes the connection too, so that their flush fails.
   */
  async ready(): Promise<Flush> {
    if (this.#open !== undefined) return this.#open.flush
    const client = new Client(this.#config)
    const lost = () => {
      if (this.#open?.client === client) this.#open = undefined
    }
    client.on('error', lost)
    client.on('end', lost)
    await client.connect()
    // The server writes its log to disk up to the end of a transaction that has written something: here an empty message.
    const flush = shared(async () => {
      try {
        await client.query("SELECT pg_logical_emit_message(true, 'tracegate', '')")
      } catch (error) {
        lost()
        void client.end().catch(ignore)
        throw translate(error)
      }
    })
    this.#open = { client, flush }
    return flush
  }

  /** Ends the connection, so that the next transaction opens another. A flush in progress is awaited: ending would break it. */
  async end(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    await open?.flush().catch(ignore)
    await open?.client.end().catch(ignore)
  }
}

/** Calls that come while one is running share the next one: what they are about may have come too late for it. */
function shared(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  const begin = () => {
    following = undefined
    running = work().finally(() => (running = undefined))
    return running
  }
  return () => {
    if (running === undefined) return begin()
    following ??= running.then(begin, begin)
    return following
  }
}

function ignore(): void {}
