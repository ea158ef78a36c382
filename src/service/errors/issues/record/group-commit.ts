import { ServiceError } from '../../../../errors.ts'
import type { Database, Prepare } from '../../../sql/database.ts'

/** Small enough that reads in the same process never wait long, large enough that the flush costs little per item. */
const LARGEST_BATCH = 256
/** Beyond this the disk is not keeping up, and senders are asked to retry. */
const LONGEST_QUEUE = 5_000

export interface GroupCommitOptions<Session> {
  db: Database
  /**
   * Creates the state that the items of one transaction share; called again after an item failed, because its writes
   * are rolled back. An item adds to what the session gathers only when nothing of it can fail any more.
   */
  begin: (prepare: Prepare) => Session
  /** Writes what a session has gathered for all of its items. */
  end: (session: Session) => Promise<void>
}

interface WaitingItem<Session> {
  /** Does the work; the function it resolves to is called once it is on disk. */
  run(session: Session): Promise<() => void>
  reject(error: unknown): void
}

/**
 * One transaction for all items that are waiting when it begins: those that arrived in one turn of the event loop, and
 * those that arrived while an earlier transaction ran. Each promise settles after the commit, in the order of arrival;
 * an item that throws rejects only its own promise.
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
    const take = () => {
      taken = waiting.splice(0, LARGEST_BATCH)
    }
    try {
      const outcomes = await db.batch((prepare) => {
        take()
        return runAll(prepare, taken)
      })
      for (const settle of outcomes) settle()
    } catch (error) {
      // No transaction could begin: all items waiting for it fail.
      if (taken.length === 0) take()
      for (const one of taken) one.reject(error)
    }
    scheduled = false
    // Items that came too late for this transaction, or while it was flushed, go into the next one.
    schedule()
  }

  async function runAll(prepare: Prepare, items: readonly WaitingItem<Session>[]): Promise<(() => void)[]> {
    let session = begin(prepare)
    const outcomes: (() => void)[] = []
    for (const one of items) {
      await prepare('SAVEPOINT item').send()
      const outcome = await attempt(one, session)
      if ('error' in outcome) {
        await undo(prepare, outcome.error)
        await end(session)
        session = begin(prepare)
      }
      await prepare('RELEASE item').send()
      outcomes.push('error' in outcome ? () => one.reject(outcome.error) : outcome.settle)
    }
    await end(session)
    return outcomes
  }

  return <Result>(work: (session: Session) => Promise<Result>): Promise<Result> => {
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
      waiting.push({ run, reject })
      schedule()
    })
  }
}

async function attempt<Session>(
  item: WaitingItem<Session>,
  session: Session,
): Promise<{ settle: () => void } | { error: unknown }> {
  try {
    return { settle: await item.run(session) }
  } catch (error) {
    return { error }
  }
}

/** Some failures (a full disk) end the whole transaction; then the savepoint is gone, and all items have failed. */
async function undo(prepare: Prepare, cause: unknown): Promise<void> {
  try {
    await prepare('ROLLBACK TO item').run()
    // Statements of the item that were sent after the one that failed.
    await prepare.sent().catch(() => undefined)
  } catch {
    throw cause
  }
}
