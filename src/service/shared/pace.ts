import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../errors.ts'

/** Too short for a person to notice, long enough that the events of one slice share a flush to disk. */
const SLICE_MS = 20
/** Beyond this the machine is not keeping up, and senders are asked to retry. */
const MOST_WAITING = 5_000

export interface PaceOptions {
  sliceMs?: number
  /** A monotonic clock in milliseconds. */
  now?: () => number
}

/** Runs one piece of work when its turn comes, and resolves to its result. */
export type Pace = <T>(piece: () => T) => Promise<T>

/**
 * A queue for CPU-bound work: pieces run sequentially, and after every `sliceMs` the rest of the process gets its turn.
 * So many large events delay their own senders and no one else (decision 011). Rejects with `unavailable` when 5,000
 * pieces are waiting.
 */
export function createPace({ sliceMs = SLICE_MS, now = () => performance.now() }: PaceOptions = {}): Pace {
  let queue: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let usedMs = 0

  async function run<T>(piece: () => T): Promise<T> {
    if (usedMs >= sliceMs) {
      await setImmediate()
      usedMs = 0
    }
    waiting -= 1
    const start = now()
    try {
      return piece()
    } finally {
      usedMs += now() - start
    }
  }

  return (piece) => {
    if (waiting >= MOST_WAITING) {
      const message = 'too many events wait to be read; repeat in a moment'
      return Promise.reject(new ServiceError('unavailable', message, { retryAfterSeconds: 1 }))
    }
    waiting += 1
    const result = queue.then(() => run(piece))
    // The queue continues even if this piece failed: its caller handles `result`.
    queue = result.then(ignore, ignore)
    return result
  }
}

function ignore(): void {}
