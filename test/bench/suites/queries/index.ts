import { median } from '../../harness/measure.ts'
import type { Figure, Goal, Suite, Table } from '../../harness/suite.ts'
import { withDurablePostgres } from '../../support/durable-postgres.ts'
import { movedEvents } from '../../support/moved-events.ts'
import { storedEvents, type StoredEvents } from '../../support/stored-events/index.ts'
import { afterEvents } from './after-events.ts'
import { openReader, type Reader } from './open-reader.ts'
import { pages } from './pages.ts'
import type { PageName } from './reader.ts'

const ROUNDS = 11
/** Read before the first round, so that statements are prepared. */
const WARM_UPS = 2
/**
 * Reads per round. Their median counts, because a garbage collection may fall into any one of them. Remembered pages are read
 * more often: they take a tenth of a millisecond, which the slightest disturbance changes.
 */
const READS = 9
const READS_AFTER_COMMITS = 3

const sizes = {
  '10,000': { issues: 9_000, occurrences: 10_000 },
  '100,000': { issues: 10_000, occurrences: 100_000 },
  '1,000,000': { issues: 10_000, occurrences: 1_000_000 },
} as const
type SizeName = keyof typeof sizes
const names = Object.keys(sizes) as SizeName[]
/** The sizes that goals compare. */
const compared: readonly SizeName[] = ['10,000', '1,000,000']
/** Of a million to ten thousand. */
const notSlower: Goal = { of: 'ratio', most: 1.5 }

/** Every page through the router and every reading tool, with ten thousand to a million occurrences. */
export const queries: Suite = {
  about:
    'Pages of the REST router, until their text is there, and tools of an agent, in memory, at three numbers of stored occurrences.',
  onlyNamed: 'It takes six minutes and 2 GB of disk.',
  async run() {
    const notSlow: Goal = { of: 'median', most: 40 }
    await using readers = await openReaders(names, storedAs)
    const tables = await pageTables(readers, { where: '', goals: [notSlow, notSlower] })
    return [...tables, await memoryTable(readers), await afterEvents(sizes['100,000'], [notSlow])]
  },
}

/** The same pages on PostgreSQL. */
export const queriesPostgres: Suite = {
  about:
    'The same pages and tools on a PostgreSQL server of this machine, at three numbers of stored occurrences, which tracegate move has brought there.',
  onlyNamed: 'It takes a quarter of an hour and 10 GB of disk.',
  run() {
    return withDurablePostgres(async ({ server, main }) => {
      const moved = async (size: SizeName) => movedEvents(await storedAs(size), server, main)
      await using readers = await openReaders(names, moved)
      return await pageTables(readers, { where: ' on PostgreSQL', goals: [notSlower] })
    })
  },
}

const storedAs = (size: SizeName) => storedEvents(sizes[size])

const note =
  'There are 10,000 issues (9,000 at 10,000 occurrences, so that one issue has enough occurrences to fill a page). ' +
  'The loudest issue has 50 occurrences at 10,000 and 48,600 at 1,000,000. Each page is first read once, to fill the ' +
  'caches of the current state of the database (decisions 074, 079 and 093), and then nine more times, of which the ' +
  'median counts. After a commit it is read three times, and only the caches that follow changes of issues ' +
  '(decision 089) are still filled.'

type Opened = StoredEvents & { databaseUrl?: string }
type Readers = ReadonlyMap<SizeName, Reader>

async function openReaders(wanted: readonly SizeName[], store: (size: SizeName) => Promise<Opened>) {
  const readers = new Map<SizeName, Reader>()
  const stack = new AsyncDisposableStack()
  try {
    for (const size of wanted) {
      const reader = await openReader(await store(size))
      stack.defer(() => reader.close())
      readers.set(size, reader)
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
  return Object.assign(readers, { [Symbol.asyncDispose]: () => stack.disposeAsync() })
}

async function pageTables(readers: Readers, { where, goals }: { where: string; goals: Goal[] }): Promise<Table[]> {
  const tables: Table[] = []
  for (const [title, read] of Object.entries(pages)) {
    const figures = []
    for (const page of Object.keys(read)) figures.push(...(await measurePage(readers, { table: title, page, goals })))
    const notes = [...(tables.length === 0 ? [note] : []), ...(await rowsNote(readers, title))]
    tables.push({ title: title + where, figures, notes })
  }
  return tables
}

/** Which pages differ in their rows between the compared sizes: a page of fewer rows takes less time for that alone. */
async function rowsNote(readers: Readers, table: string): Promise<string[]> {
  const differing: string[] = []
  for (const page of Object.keys(pages[table] ?? {})) {
    const [few, many] = await rowsOn(readers, { table, page })
    if (few !== many) differing.push(`${page} ${String(few)} and ${String(many)}`)
  }
  if (differing.length === 0) return []
  return [
    `Rows on the page at ${compared.join(' and at ')} occurrences, where they differ: ${differing.join('; ')}. Where 10,000 ` +
      'has fewer rows, 1,000,000 is also asked for that many, or for one where there are none (decision 131).',
  ]
}

/** Of the compared sizes. */
async function rowsOn(readers: Readers, rowsOf: PageName): Promise<[few: number, many: number]> {
  const [few = 0, many = 0] = await Promise.all(compared.map(async (size) => readers.get(size)?.ask({ rowsOf })))
  return [few, many]
}

interface Series {
  size: SizeName
  after?: 'a commit'
  /** How many rows are asked for; as many as a page has by default. */
  rows?: number | undefined
  values: number[]
}

async function measurePage(readers: Readers, { table, page, goals }: PageName & { goals: Goal[] }): Promise<Figure[]> {
  const series = (more: Partial<Series>) => (size: SizeName) => ({ size, values: [], ...more })
  const asked: Series[] = [...[...readers.keys()].map(series({})), ...compared.map(series({ after: 'a commit' }))]
  const [few, many] = await rowsOn(readers, { table, page })
  const asFew = { size: '1,000,000', rows: Math.max(few, 1) } as const
  if (few < many) asked.push({ ...asFew, values: [] }, { ...asFew, after: 'a commit', values: [] })
  const groups = [asked.filter(({ after }) => after === undefined), asked.filter(({ after }) => after !== undefined)]
  for (let round = -WARM_UPS; round < ROUNDS; round += 1) {
    for (const group of groups) {
      const taken = await readInTurn(readers, { table, page }, group)
      if (round >= 0) for (const [place, { values }] of group.entries()) values.push(median(taken[place] ?? []))
    }
  }
  return asked.map(({ values, ...how }) => ({
    name: figureName(page, how),
    unit: 'ms',
    values,
    ...(how.size !== '10,000' && { against: figureName(page, { ...how, size: '10,000', rows: undefined }) }),
    ...(how.size === '1,000,000' && { goals }),
  }))
}

/**
 * Milliseconds of the reads of a round, for each series. The series alternate with every read, because a shared machine is slow
 * for a few milliseconds and then fast again.
 */
async function readInTurn(readers: Readers, page: PageName, group: readonly Series[]): Promise<number[][]> {
  const taken: number[][] = group.map(() => [])
  const isRemembered = group.every(({ after }) => after === undefined)
  const reads = isRemembered ? READS : READS_AFTER_COMMITS
  // The first read of a state remembers it; those after it count.
  for (let read = isRemembered ? -1 : 0; read < reads; read += 1) {
    for (const [place, { size, after, rows }] of group.entries()) {
      const time = await readers.get(size)?.ask({ ...page, ...(after && { after }), rows })
      if (time !== undefined && read >= 0) taken[place]?.push(time)
    }
  }
  return taken
}

function figureName(page: string, { size, after, rows }: Omit<Series, 'values'>): string {
  const asked = rows === undefined ? '' : `, ${String(rows)} ${rows === 1 ? 'row' : 'rows'}`
  return `${page}, ${size}${asked}${after === undefined ? '' : `, after ${after}`}`
}

async function memoryTable(readers: Readers): Promise<Table> {
  const figures: Figure[] = []
  for (const [name, reader] of readers) {
    const values = [await reader.ask('memory')]
    figures.push({ name, unit: 'MB', values, goals: [{ of: 'median', most: 300 }] })
  }
  return { title: 'Most resident memory of the process, with its client', figures }
}
