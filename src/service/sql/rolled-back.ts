import { sql } from 'kysely'
import { letOthersRun } from '../../lib/turns-of-others.ts'
import type { Database, Pause, Prepare, Rows } from './database.ts'

const SLICE_MS = 10

/** Thrown inside a transaction to keep its result but not its changes. */
class RolledBack extends Error {}

/** Runs `work` in a transaction of its own and rolls it back; resolves to the result of `work`. */
export async function rolledBack<T>(
  db: Pick<Database, 'write'>,
  work: (rows: Rows, prepare: Prepare) => Promise<T>,
): Promise<T> {
  const results: T[] = []
  try {
    await db.write(async (rows, prepare) => {
      results.push(await work(rows, prepare))
      throw new RolledBack()
    })
  } catch (thrown) {
    if (!(thrown instanceof RolledBack)) throw thrown
  }
  return results[0] as T
}

/** `rolledBack` for `batch`. */
export async function batchRolledBack<T>(
  db: Pick<Database, 'batch'>,
  work: (prepare: Prepare) => Promise<T>,
): Promise<T> {
  const results: T[] = []
  try {
    await db.batch(async (prepare) => {
      results.push(await work(prepare))
      throw new RolledBack()
    })
  } catch (thrown) {
    if (!(thrown instanceof RolledBack)) throw thrown
  }
  return results[0] as T
}

/** Runs `work` inside the caller's transaction and takes back what it wrote; resolves to the result of `work`. */
export async function takenBack<T>(rows: Rows, work: () => Promise<T>): Promise<T> {
  await sql`SAVEPOINT taken_back`.execute(rows)
  const result = await work().catch(async (thrown: unknown) => {
    await endSavepoint(rows)
    throw thrown
  })
  await endSavepoint(rows)
  return result
}

async function endSavepoint(rows: Rows): Promise<void> {
  await sql`ROLLBACK TO SAVEPOINT taken_back`.execute(rows)
  await sql`RELEASE SAVEPOINT taken_back`.execute(rows)
}

/** The open transaction as a database: what it reads and writes is part of the transaction. */
export function insideTransaction(rows: Rows, prepare: Prepare): Database {
  return {
    read: rows,
    write: (work) => work(rows, prepare),
    writeInSlices: (work) => work(rows, prepare, breathe()),
    batch: (work) => work(prepare),
    close: () => Promise.resolve(),
  }
}

/** A pause that commits nothing: other requests run, and writes wait. */
export function breathe(): Pause {
  let until = performance.now() + SLICE_MS
  return async () => {
    if (performance.now() < until) return
    await letOthersRun()
    until = performance.now() + SLICE_MS
  }
}
