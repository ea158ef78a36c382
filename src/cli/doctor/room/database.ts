import { retentionForecast, type Forecast } from '../../../service/errors/issues/retention-forecast.ts'
import { tableSizes } from '../../../service/sql/sqlite/database-file.ts'
import { openReader } from '../../../service/sql/sqlite/sqlite.ts'

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
  /** The product with the most events first. */
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

/**
 * What takes room in a database file; undefined while its first start is under way. Reads all of it once; `now` is epoch
 * milliseconds.
 */
export async function readDatabaseRoom(file: string, now: number): Promise<DatabaseRoom | undefined> {
  const sizes = tableSizes(file)
  if (sizes === undefined) return undefined
  const kinds: Kinds = {
    events: 0,
    issues: 0,
    'test results': 0,
    'agent runs': 0,
    'other data': 0,
    'free pages': sizes.free,
  }
  for (const [name, bytes] of sizes.tables)
    kinds[beginnings.find(([start]) => name.startsWith(start))?.[1] ?? 'other data'] += bytes
  const rows = openReader(file)
  try {
    const products = await retentionForecast(rows, now)
    const events = products.reduce((sum, one) => sum + one.events, 0)
    const { issues } = await rows
      .selectFrom('issue')
      .select((eb) => eb.fn.countAll<number>().as('issues'))
      .executeTakeFirstOrThrow()
    return { kinds, events, issues, products }
  } finally {
    await rows.destroy()
  }
}
