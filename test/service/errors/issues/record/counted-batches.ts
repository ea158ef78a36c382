import type { Database } from '../../../../../src/service/sql/database.ts'
import type { App } from '../../../../app.ts'

/** The app's database, with the number of transactions that were made with it. */
export function countBatches(app: App): { db: Database; made(this: void): number } {
  let batches = 0
  const db: Database = {
    ...app.db,
    read: app.db.read,
    batch(work) {
      batches += 1
      return app.db.batch(work)
    },
  }
  return { db, made: () => batches }
}
