import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../errors.ts'

/** Short beside what a person notices, long enough that the events of one slice share a flush to the disk. */
const SLICE_MS = 20
/** Beyond this the machine is not keeping up; the sender is told to come back. */
const MOST_WAITING = 5_000

export interface PaceOptions {
  sliceMs?: number
  /** Milliseconds of any clock that only goes forward. */
  now?: () => number
}

/** Runs one piece of work, in turn, and answers with its result. */
export type Pace = <T>(piece: () => T) => Promise<T>

/**
 * A queue for work that keeps the processor busy: pieces run one after the other, and whenever they have taken `sliceMs`
 * everything else of the process runs first. So many large events cost their senders time, and nobody else (decision
 * 011). Rejects with `unavailable` when 5,000 pieces wait.
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
    // The queue goes on whatever became of this piece; its caller holds `result`.
    queue = result.then(ignore, ignore)
    return result
  }
}

function ignore(): void {}
