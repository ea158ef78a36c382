import { ServiceError } from '../../../../../errors.ts'
import type { Database, Prepare } from '../../../../sql/database.ts'

/** Small enough that reads in the same process never wait long, large enough that the flush costs little per item. */
const LARGEST_BATCH = 256
/** Beyond this the disk is not keeping up, and senders are asked to retry. */
const LONGEST_QUEUE = 5_000

export interface GroupCommitOptions<Session> {
  db: Database
  /** Creates the state that the items of one transaction share. */
  begin: (prepare: Prepare) => Session
  /** Writes what a session has gathered for all of its items. */
  end: (session: Session) => Promise<void>
}

export interface Item<Session, Result> {
  /** Asks for what the work will need, before the work of any item of the transaction. */
  ahead: (session: Session) => Promise<unknown>
  work: (session: Session) => Promise<Result>
}

interface WaitingItem<Session> {
  ahead(session: Session): Promise<unknown>
  /** Does the work; the function it resolves to is called once it is on disk. */
  run(session: Session): Promise<() => void>
  reject(error: unknown): void
}

/**
 * One transaction for all items that are waiting when it begins: those that arrived in one turn of the event loop, and
 * those that arrived while an earlier transaction ran. Each promise settles after the commit, in the order of arrival. Where
 * one throws, nothing of the transaction is written, and its halves are tried one after the other: in the end, an item that
 * cannot be stored rejects only its own promise.
 */
export function groupCommit<Session>({ db, begin, end }: GroupCommitOptions<Session>) {
  const waiting: WaitingItem<Session>[] = []
  let scheduled = false

  function schedule(): void {
    if (scheduled || waiting.length === 0) return
    scheduled = true
    setImmediate(() => void flush())
  }

  async function flush(): Promise<void> {
    let taken: WaitingItem<Session>[] = []
    const take = () => (taken = waiting.splice(0, LARGEST_BATCH))
    try {
      settleAll(await db.batch((prepare) => runAll(prepare, take())))
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
  async function refuse(items: readonly WaitingItem<Session>[], error: unknown): Promise<void> {
    const isPassing = error instanceof ServiceError && error.code === 'unavailable'
    if (items.length <= 1 || isPassing) {
      for (const one of items) one.reject(error)
      return
    }
    const middle = Math.ceil(items.length / 2)
    for (const half of [items.slice(0, middle), items.slice(middle)]) {
      try {
        settleAll(await db.batch((prepare) => runAll(prepare, half)))
      } catch (failure) {
        await refuse(half, failure)
      }
    }
  }

  async function runAll(prepare: Prepare, items: readonly WaitingItem<Session>[]): Promise<(() => void)[]> {
    const session = begin(prepare)
    await Promise.all(items.map((one) => one.ahead(session)))
    const outcomes: (() => void)[] = []
    for (const one of items) outcomes.push(await one.run(session))
    await end(session)
    return outcomes
  }

  return <Result>({ ahead, work }: Item<Session, Result>): Promise<Result> => {
    if (waiting.length >= LONGEST_QUEUE) {
      return Promise.reject(
        new ServiceError('unavailable', 'too many events wait for the disk; repeat in a moment', {
          retryAfterSeconds: 1,
        }),
      )
    }
    return new Promise<Result>((resolve, reject) => {
      const run = async (session: Session) => {
        const result = await work(session)
        return () => resolve(result)
      }
      waiting.push({ ahead, run, reject })
      schedule()
    })
  }
}

function settleAll(outcomes: readonly (() => void)[]): void {
  for (const settle of outcomes) settle()
}
