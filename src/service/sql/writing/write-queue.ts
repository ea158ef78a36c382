import { setImmediate as nextTurn } from 'node:timers/promises'
import { ServiceError } from '../../../errors.ts'
import { letOthersRun } from '../../../lib/turns-of-others.ts'
import type { Database, Pause, Prepare, Rows } from '../database.ts'
import { sliceLength } from './slice-length.ts'

/** After this part of a slice, in milliseconds, the rest of the process has a turn: reads need not wait for its end. */
const TURN_MS = 3

/** The connection that writes, of one kind of database. */
export interface WriteConnection {
  /** Both belong to the transaction that is open. */
  readonly rows: Rows
  readonly prepare: Prepare
  /** Begins a transaction for a write that was queued at a time of `performance.now()`. */
  begin(queuedAt: number): Promise<void>
  commit(): Promise<void> | void
  rollback(): Promise<void> | void
  /** Resolves when everything that was committed until now is on disk. */
  flush(): Promise<void>
  /** A failure as the caller gets it. */
  translate(error: unknown): unknown
}

interface Slice {
  /** When its time is used up, by `performance.now()`. */
  until: number
  ended: boolean
  end(): void
}

/** The writes of one process, one after the other in the order of arrival, each in its transaction. */
export class WriteQueue implements Omit<Database, 'read' | 'close'> {
  readonly #connection: WriteConnection
  #queue: Promise<unknown> = Promise.resolve()
  #closed = false
  #length = 0

  constructor(connection: WriteConnection) {
    this.#connection = connection
  }

  /** Writes that run or wait for their turn. */
  get length(): number {
    return this.#length
  }

  write<T>(work: (rows: Rows, prepare: Prepare) => Promise<T>): Promise<T> {
    const { rows, prepare } = this.#connection
    return this.#transaction(() => work(rows, prepare))
  }

  batch<T>(work: (prepare: Prepare) => Promise<T>): Promise<T> {
    const { prepare } = this.#connection
    return this.#transaction(() => work(prepare))
  }

  async #transaction<T>(work: () => Promise<T>): Promise<T> {
    const connection = this.#connection
    const result = await this.#enqueue(async () => {
      try {
        const result = await work()
        await connection.commit()
        return result
      } catch (error) {
        await connection.rollback()
        throw connection.translate(error)
      }
    })
    await connection.flush()
    return result
  }

  async writeInSlices<T>(work: (rows: Rows, prepare: Prepare, pause: Pause) => Promise<T>): Promise<T> {
    const connection = this.#connection
    let slice = await this.#openSlice()
    let turned = performance.now()
    const pause: Pause = async (beforeCommit) => {
      const full = performance.now()
      if (full < slice.until) {
        if (full - turned < TURN_MS) return
        await nextTurn()
        turned = performance.now()
        return
      }
      await beforeCommit?.()
      await connection.commit()
      const closed = performance.now()
      slice.end()
      await letOthersRun()
      slice = await this.#openSlice({ closingMs: closed - full, closed })
      turned = performance.now()
    }
    try {
      const result = await work(connection.rows, connection.prepare, pause)
      await connection.commit()
      slice.end()
      await connection.flush()
      return result
    } catch (error) {
      if (!slice.ended) await connection.rollback()
      throw connection.translate(error)
    } finally {
      slice.end()
    }
  }

  /** A transaction of its own in the queue, which other writes wait for until `end`. */
  #openSlice({ closingMs = 0, closed = performance.now() } = {}): Promise<Slice> {
    const { promise, resolve, reject } = Promise.withResolvers<Slice>()
    const ended = Promise.withResolvers<void>()
    const slice: Slice = {
      until: 0,
      ended: false,
      end() {
        slice.ended = true
        ended.resolve()
      },
    }
    const begin = () => {
      const now = performance.now()
      slice.until = now + sliceLength({ closingMs, waitedMs: now - closed })
      resolve(slice)
      return ended.promise
    }
    this.#enqueue(begin).catch(reject)
    return promise
  }

  #enqueue<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new ServiceError('unavailable', 'the database is closed; start again'))
    const queuedAt = performance.now()
    return this.follow(() => this.#connection.begin(queuedAt).then(work))
  }

  /** Does work when the writes before it have ended; no transaction is open meanwhile. */
  follow<T>(work: () => Promise<T>): Promise<T> {
    this.#length += 1
    const result = this.#queue.then(work)
    const leave = () => void (this.#length -= 1)
    // The queue continues even if this one failed: its caller handles `result`. The pause lets requests run between the
    // transactions of a long job.
    this.#queue = result.then(leave, leave).then(() => nextTurn())
    return result
  }

  /** Takes no more writes; those in progress go on. */
  refuse(): void {
    this.#closed = true
  }

  /** Takes no more writes, and resolves when those in progress have ended. */
  async close(): Promise<void> {
    this.refuse()
    await this.#queue
  }
}
