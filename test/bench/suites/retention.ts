import { join } from 'node:path'
import { runRetention } from '../../../src/service/errors/issues/retention.ts'
import { dayMs } from '../../../src/service/shared/times.ts'
import type { Database } from '../../../src/service/sql/database.ts'
import { openDatabase } from '../../../src/service/sql/open/index.ts'
import { StoredSettings } from '../../../src/service/workspace/settings.ts'
import type { Suite, Table } from '../harness/suite.ts'
import { withDurablePostgres } from '../support/durable-postgres.ts'
import { movedEvents } from '../support/moved-events.ts'
import { copyStoredEvents } from '../support/stored-events/index.ts'

const SIZE = { issues: 10_000, occurrences: 200_000 }
const STORED_DAYS = 30

/** What it costs to remove one day of events, of the thirty that are stored. */
export const retention: Suite = {
  about:
    'Retention goes through 200,000 stored events of 30 days when the clock is a day on, and then 15 days on; on SQLite, and on ' +
    'a PostgreSQL server of this machine, which flushes each commit. The longest transaction is what an event that arrives waits at most.',
  onlyNamed: 'It takes two minutes.',
  run() {
    return withDurablePostgres(async ({ server, main, folder }) => {
      const dataDir = join(folder, 'data')
      const stored = await copyStoredEvents(SIZE, dataDir)
      const { databaseUrl } = await movedEvents(stored, server, main)
      return [
        await measure('SQLite', join(dataDir, 'tracegate.db'), stored.now),
        await measure('PostgreSQL', databaseUrl, stored.now),
      ]
    })
  },
}

async function measure(name: string, address: string, now: number): Promise<Table> {
  const db = await openDatabase(address)
  try {
    const { retention_days } = StoredSettings.parse({})
    const oldestEnds = now + (retention_days - STORED_DAYS) * dayMs
    // What is beyond the cap of an issue goes first, and is not counted.
    await runRetention(db, oldestEnds)
    const day = await remove(db, oldestEnds + dayMs)
    const half = await remove(db, oldestEnds + 15 * dayMs)
    return {
      title: `Retention on ${name}`,
      figures: [
        { name: 'events of a day', unit: 'rows', values: [day.rows] },
        { name: 'their removal, with pauses', unit: 'ms', values: [day.ms] },
        { name: 'events of 14 days', unit: 'rows', values: [half.rows] },
        { name: 'their removal, rows for each second', unit: 'rows/s', values: [(half.rows * 1000) / half.ms] },
        { name: 'the longest transaction of both', unit: 'ms', values: [Math.max(day.longestMs, half.longestMs)] },
      ],
    }
  } finally {
    await db.close()
  }
}

async function remove(db: Database, now: number) {
  let longestMs = 0
  const timed: Database = {
    ...db,
    read: db.read,
    async batch(work) {
      return db.batch(async (prepare) => {
        const begun = performance.now()
        try {
          return await work(prepare)
        } finally {
          longestMs = Math.max(longestMs, performance.now() - begun)
        }
      })
    },
  }
  const begun = performance.now()
  const { occurrences } = await runRetention(timed, now)
  return { rows: occurrences, ms: performance.now() - begun, longestMs }
}
