import { ServiceError } from '../../../../../errors.ts'
import type { Database, Prepare } from '../../../../sql/database.ts'

/** Small enough that reads in the same process never wait long, large enough that the flush costs little per item. */
const LARGEST_BATCH = 256
/** Beyond this the disk is not keeping up, and senders are asked to retry. */
const LONGEST_QUEUE = 5_000

export interface GroupCommitOptions<Session, Item, Result> {
  db: Database
  /** Creates the state that the items of one transaction share. */
  begin: (prepare: Prepare) => Session
  /** Asks for what the work on the items will need, before any of it. */
  ahead: (session: Session, items: readonly Item[]) => Promise<void>
  work: (session: Session, item: Item) => Promise<Result>
  /** Writes what a session has gathered for all of its items. */
  end: (session: Session) => Promise<void>
}

interface Waiting<Item, Result> {
  item: Item
  /** Called once it is on disk. */
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * One transaction for all items that are waiting when it begins: those that arrived in one turn of the event loop, and
 * those that arrived while an earlier transaction ran. Each promise settles after the commit, in the order of arrival. Where
 * one throws, nothing of the transaction is written, and its halves are tried one after the other: in the end, an item that
 * cannot be stored rejects only its own promise.
 */
export function groupCommit<Session, Item, Result>({
  db,
  begin,
  ahead,
  work,
  end,
}: GroupCommitOptions<Session, Item, Result>): (item: Item) => Promise<Result> {
  type WaitingItem = Waiting<Item, Result>
  const waiting: WaitingItem[] = []
  let scheduled = false

  function schedule(): void {
    if (scheduled || waiting.length === 0) return
    scheduled = true
    setImmediate(() => void flush())
  }

  async function flush(): Promise<void> {
    let taken: WaitingItem[] = []
    const take = () => (taken = waiting.splice(0, LARGEST_BATCH))
    try {
      const results = await db.batch((prepare) => runAll(prepare, take()))
      settle(taken, results)
    } catch (error) {
      // No transaction could begin: all items waiting for it fail.
      if (taken.length === 0) take()
      await refuse(taken, error)
    }
    scheduled = false
    // Items that came too late for this transaction, or while it was flushed, go into the next one.
    schedule()
  }

  /** Finds the items for which a transaction failed; a database that is busy or full fails for all of them. */
  async function refuse(items: readonly WaitingItem[], error: unknown): Promise<void> {
    const isPassing = error instanceof ServiceError && error.code === 'unavailable'
    if (items.length <= 1 || isPassing) {
      for (const one of items) one.reject(error)
      return
    }
    const middle = Math.ceil(items.length / 2)
    for (const half of [items.slice(0, middle), items.slice(middle)]) {
      try {
        settle(half, await db.batch((prepare) => runAll(prepare, half)))
      } catch (failure) {
        await refuse(half, failure)
      }
    }
  }

  async function runAll(prepare: Prepare, taken: readonly WaitingItem[]): Promise<Result[]> {
    const session = begin(prepare)
    const items = taken.map(({ item }) => item)
    await ahead(session, items)
    const results: Result[] = []
    for (const item of items) results.push(await work(session, item))
    await end(session)
    return results
  }

  return (item) => {
    if (waiting.length >= LONGEST_QUEUE) {
      return Promise.reject(
        new ServiceError('unavailable', 'too many events wait for the disk; repeat in a moment', {
          retryAfterSeconds: 1,
        }),
      )
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    waiting.push({ item, resolve, reject })
    schedule()
    return promise
  }
}

/** Results are those of the items, in their order. */
function settle<Item, Result>(items: readonly Waiting<Item, Result>[], results: readonly Result[]): void {
  for (const [index, result] of results.entries()) items[index]?.resolve(result)
}
