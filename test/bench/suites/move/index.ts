import { join } from 'node:path'
import type { Suite, Table } from '../../harness/suite.ts'
import { withDurablePostgres, type WithPostgres } from '../../support/durable-postgres.ts'
import { copyStoredEvents } from '../../support/stored-events/index.ts'
import { readEverything, sampled } from './everything.ts'
import { runMove, type Moved } from './mover.ts'

const SIZE = { issues: 10_000, occurrences: 200_000 }
const KILLED_AT = 50

/** `tracegate move` of many events, killed half-way once; the answers before and after are compared. */
export const move: Suite = {
  about:
    'tracegate move of 200,000 stored events from SQLite to a PostgreSQL server of this machine, which flushes each commit. The process is ' +
    'killed half-way and started again; REST answers before and after are compared.',
  onlyNamed: 'It takes several minutes.',
  async run() {
    return [await withDurablePostgres(measure)]
  },
}

async function measure({ server, main, folder }: WithPostgres): Promise<Table> {
  const dataDir = join(folder, 'data')
  await copyStoredEvents(SIZE, dataDir)
  const before = await readEverything({ dataDir })
  const moving = { main, dataDir, to: server.url('tracegate') }
  const killed = await runMove({ ...moving, killAt: KILLED_AT })
  const completed = await runMove(moving)
  if (!completed.output.includes('going on with')) throw new Error(completed.output)
  return table({ killed, completed, before, after: await readEverything({ dataDir, databaseUrl: moving.to }) })
}

interface Measured {
  killed: Moved
  completed: Moved
  before: ReadonlyMap<string, string>
  after: ReadonlyMap<string, string>
}

function table({ killed, completed, before, after }: Measured): Table {
  const rows = Number(/Moved ([\d,]+) rows/.exec(completed.output)?.[1]?.replaceAll(',', ''))
  const paths = new Set([...before.keys(), ...after.keys()])
  const differing = [...paths].filter((path) => before.get(path) !== after.get(path))
  return {
    title: 'A move of 200,000 events, killed half-way once',
    figures: [
      { name: 'rows of all tables', unit: 'rows', values: [rows] },
      {
        name: 'rows for each second of both attempts',
        unit: 'rows/s',
        values: [rows / (killed.seconds + completed.seconds)],
      },
      { name: `until it was killed, at ${String(KILLED_AT)} % of the rows`, unit: 's', values: [killed.seconds] },
      { name: 'the rest, with indexes and comparison', unit: 's', values: [completed.seconds] },
      { name: 'answers read before and after', unit: 'answers', values: [paths.size] },
      {
        name: 'answers that differ',
        unit: 'answers',
        values: [differing.length],
        goals: [{ of: 'median', most: 0 }],
        headline: 'Answers that differ after a move of 200,000 events from SQLite to PostgreSQL',
      },
    ],
    notes: [sampled, ...differing.slice(0, 5)],
  }
}
