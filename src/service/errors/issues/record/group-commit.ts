import { ServiceError } from '../../../../errors.ts'
import type { Database, Prepare } from '../../../sql/database.ts'

/** Small enough that a read in the same process never waits long, large enough that the flush costs little per item. */
const LARGEST_BATCH = 256
/** Beyond this the disk is not keeping up; the sender is told to come back. */
const LONGEST_QUEUE = 5_000

export interface GroupCommitOptions<Session> {
  db: Database
  /** What the items of one transaction share; made anew when an item failed, as its writes are taken back. */
  begin: (prepare: Prepare) => Session
}

interface WaitingItem<Session> {
  /** Does the work; the outcome is called once it is on disk. */
  run(session: Session): () => void
  reject(error: unknown): void
}

/**
 * One transaction for all items that wait at the time it begins: everything that arrives in one turn of the event loop,
 * and all that came while an earlier transaction ran. Each promise settles after the commit, in the order of arrival;
 * what an item throws rejects it alone.
 */
export function groupCommit<Session>({ db, begin }: GroupCommitOptions<Session>) {
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
      scheduled = false
      // What came too late for this transaction gets the next one.
      schedule()
    }
    try {
      const outcomes = await db.batch((prepare) => {
        take()
        return runAll(prepare, taken)
      })
      for (const settle of outcomes) settle()
    } catch (error) {
      // No transaction could begin: those who wait for it share the failure.
      if (taken.length === 0) take()
      for (const one of taken) one.reject(error)
    }
  }

  function runAll(prepare: Prepare, items: readonly WaitingItem<Session>[]): (() => void)[] {
    let session = begin(prepare)
    return items.map((one) => {
      prepare('SAVEPOINT item').run()
      const outcome = attempt(() => one.run(session))
      if ('error' in outcome) {
        undo(prepare, outcome.error)
        session = begin(prepare)
      }
      prepare('RELEASE item').run()
      return 'error' in outcome ? () => one.reject(outcome.error) : outcome.settle
    })
  }

  return <Result>(work: (session: Session) => Result): Promise<Result> => {
    if (waiting.length >= LONGEST_QUEUE) {
      return Promise.reject(
        new ServiceError('unavailable', 'too many events wait for the disk; repeat in a moment', {
          retryAfterSeconds: 1,
        }),
      )
    }
    return new Promise<Result>((resolve, reject) => {
      const run = (session: Session) => {
        const result = work(session)
        return () => resolve(result)
      }
      waiting.push({ run, reject })
      schedule()
    })
  }
}

function attempt(run: () => () => void): { settle: () => void } | { error: unknown } {
  try {
    return { settle: run() }
  } catch (error) {
    return { error }
  }
}

/** Some failures (a full disk) end the whole transaction; then there is nothing to go back to, and all of it has failed. */
function undo(prepare: Prepare, cause: unknown): void {
  try {
    prepare('ROLLBACK TO item').run()
  } catch {
    throw cause
  }
}
