import { ServiceError } from '../../../errors.ts'
import { errorCategories } from './budget.ts'

/** Longer than 16 MiB take to be stored. */
const RETRY_SECONDS = 2

export interface WaitingRoom {
  /** Runs the work while its bytes are counted. */
  enter<T>(this: void, bytes: number, work: () => Promise<T>): Promise<T>
  /** Bytes that wait now. */
  waiting(this: void): number
}

/**
 * Bounds the bytes of events that wait to be on disk. When the store does not keep up, further events are refused with
 * `resource_exhausted` before memory grows, and SDKs hold errors back for a moment. One request is always let in.
 */
export function createWaitingRoom(mostBytes: number): WaitingRoom {
  let waiting = 0
  async function enter<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (waiting > 0 && waiting + bytes > mostBytes) {
      throw new ServiceError('resource_exhausted', 'too many events wait to be stored', {
        retryAfterSeconds: RETRY_SECONDS,
        metadata: { categories: errorCategories },
      })
    }
    waiting += bytes
    try {
      return await work()
    } finally {
      waiting -= bytes
    }
  }
  return { enter, waiting: () => waiting }
}
