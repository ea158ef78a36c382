import type { DatabaseSync } from 'node:sqlite'
import { retentionForecast, type Forecast } from './forecast.ts'

/** Bytes of the database file by what they are for. */
export interface Kinds {
  events: number
  issues: number
  'test results': number
  'agent runs': number
  'other data': number
  'free pages': number
}

export interface DatabaseRoom {
  kinds: Kinds
  events: number
  issues: number
  /** The products with the most events first. */
  products: Forecast[]
}

/** The tables of each kind, by the beginning of their names; the first that fits counts. */
const beginnings: readonly [start: string, kind: keyof Kinds][] = [
  ['occurrence_rollup', 'issues'],
  ['occurrence', 'events'],
  ['body_dictionary', 'events'],
  ['issue', 'issues'],
  ['vouched_', 'issues'],
  ['test_run', 'test results'],
  ['test_result', 'test results'],
  ['agent_', 'agent runs'],
]

/** Sums up the pages of each table with its indices. Reads the pages once; `now` is epoch milliseconds. */
export function readDatabaseRoom(db: DatabaseSync, now: number): DatabaseRoom {
  const kinds: Kinds = {
    events: 0,
    issues: 0,
    'test results': 0,
    'agent runs': 0,
    'other data': 0,
    'free pages': readNumber(db, 'PRAGMA freelist_count') * readNumber(db, 'PRAGMA page_size'),
  }
  const tables = db
    .prepare(
      `SELECT coalesce(of.tbl_name, taken.name) AS name, sum(taken.pgsize) AS bytes
       FROM dbstat AS taken LEFT JOIN sqlite_schema AS of ON of.name = taken.name WHERE taken.aggregate = 1 GROUP BY 1`,
    )
    .all()
  for (const { name, bytes } of tables) {
    const kind = beginnings.find(([start]) => String(name).startsWith(start))?.[1] ?? 'other data'
    kinds[kind] += Number(bytes)
  }
  const products = retentionForecast(db, now)
  const events = products.reduce((sum, one) => sum + one.events, 0)
  return { kinds, events, issues: readNumber(db, 'SELECT count(*) FROM issue'), products }
}

function readNumber(db: DatabaseSync, sql: string): number {
  return Number(Object.values(db.prepare(sql).get() ?? {})[0])
}
