import type { Database } from '../sql/database.ts'

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

function ignoreRollback(thrown: unknown) {
  if (!(thrown instanceof RolledBack)) throw thrown
}
