import { ServiceError } from '../../errors.ts'
import type { Database, Statement } from '../sql/database.ts'

/** Small enough that a read in the same process never waits long, large enough that the flush costs little per item. */
const LARGEST_BATCH = 256
/** Beyond this the disk is not keeping up; the sender is told to come back. */
const LONGEST_QUEUE = 5_000

export interface GroupCommitOptions<Item, Result> {
  db: Database
  /** Runs inside the batch's transaction; what it throws rejects its own item alone. */
  work: (prepare: (sql: string) => Statement, item: Item) => Result
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

type Outcome<Result> = { result: Result } | { error: unknown }

/**
 * One transaction for all items that wait at the time it begins: everything that arrives in one turn of the event loop,
 * and all that came while an earlier transaction ran. Each promise settles after the commit, in the order of arrival.
 */
export function groupCommit<Item, Result>({ db, work }: GroupCommitOptions<Item, Result>) {
  const waiting: Waiting<Item, Result>[] = []
  let scheduled = false

  function schedule(): void {
    if (scheduled || waiting.length === 0) return
    scheduled = true
    setImmediate(() => void flush())
  }

  async function flush(): Promise<void> {
    let taken: Waiting<Item, Result>[] = []
    const take = () => {
      taken = waiting.splice(0, LARGEST_BATCH)
      scheduled = false
      // What came too late for this transaction gets the next one.
      schedule()
    }
    try {
      const outcomes = await db.batch((prepare) => {
        take()
        return taken.map(({ item }) => isolated(prepare, item))
      })
      outcomes.forEach((outcome, index) => settle(taken[index], outcome))
    } catch (error) {
      // No transaction could begin: those who wait for it share the failure.
      if (taken.length === 0) take()
      for (const one of taken) one.reject(error)
    }
  }

  function isolated(prepare: (sql: string) => Statement, item: Item): Outcome<Result> {
    prepare('SAVEPOINT item').run()
    const outcome = attempt(() => work(prepare, item))
    if ('error' in outcome) undo(prepare, outcome.error)
    prepare('RELEASE item').run()
    return outcome
  }

  return (item: Item): Promise<Result> => {
    if (waiting.length >= LONGEST_QUEUE) {
      return Promise.reject(
        new ServiceError('unavailable', 'too many events wait for the disk; repeat in a moment', {
          retryAfterSeconds: 1,
        }),
      )
    }
    return new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
  }
}

function attempt<Result>(work: () => Result): Outcome<Result> {
  try {
    return { result: work() }
  } catch (error) {
    return { error }
  }
}

/** Some failures (a full disk) end the whole transaction; then there is nothing to go back to, and all of it has failed. */
function undo(prepare: (sql: string) => Statement, cause: unknown): void {
  try {
    prepare('ROLLBACK TO item').run()
  } catch {
    throw cause
  }
}

function settle<Item, Result>(one: Waiting<Item, Result> | undefined, outcome: Outcome<Result>): void {
  if ('error' in outcome) one?.reject(outcome.error)
  else one?.resolve(outcome.result)
}
