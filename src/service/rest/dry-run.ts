import type { Database } from '../sql/database.ts'
import { batchRolledBack, breathe, rolledBack } from '../sql/rolled-back.ts'

/**
 * The same database, but every transaction is rolled back after its work: full validation and response, nothing written
 * (contract §0.6), for every handler.
 */
export function dryRun(db: Database): Database {
  return {
    read: db.read,
    close: () => db.close(),
    write: (work) => rolledBack(db, work),
    // One transaction, because nothing of it is kept; other requests still run, and writes wait.
    writeInSlices: (work) => rolledBack(db, (rows, prepare) => work(rows, prepare, breathe())),
    batch: (work) => batchRolledBack(db, work),
  }
}
