import { letOthersRun } from '../../lib/turns-of-others.ts'
import type { Database, Pause } from '../sql/database.ts'

const SLICE_MS = 10

/** Thrown inside a transaction to keep its result but not its changes. */
class RolledBack extends Error {}

/**
 * The same database, but every transaction is rolled back after its work: full validation and response, nothing written
 * (contract §0.6), for every handler.
 */
export function dryRun(db: Database): Database {
  return {
    read: db.read,
    close: () => db.close(),
    async write(work) {
      const results: Awaited<ReturnType<typeof work>>[] = []
      await db
        .write(async (rows, prepare) => {
          results.push(await work(rows, prepare))
          throw new RolledBack()
        })
        .catch(ignoreRollback)
      return results[0] as Awaited<ReturnType<typeof work>>
    },
    // One transaction, because nothing of it is kept; other requests still run, and writes wait.
    writeInSlices(work) {
      return this.write((rows, prepare) => work(rows, prepare, breathe()))
    },
    async batch(work) {
      const results: ReturnType<typeof work>[] = []
      await db
        .batch((prepare) => {
          results.push(work(prepare))
          throw new RolledBack()
        })
        .catch(ignoreRollback)
      return results[0] as ReturnType<typeof work>
    },
  }
}

/** A pause that commits nothing. */
function breathe(): Pause {
  let until = performance.now() + SLICE_MS
  return async () => {
    if (performance.now() < until) return
    await letOthersRun()
    until = performance.now() + SLICE_MS
  }
}

function ignoreRollback(thrown: unknown) {
  if (!(thrown instanceof RolledBack)) throw thrown
}
