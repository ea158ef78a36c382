import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Figure, Suite, Table } from '../../harness/suite.ts'
import { storedEvents } from '../../support/stored-events/index.ts'
import { pages } from './pages.ts'
import type { Asked } from './reader.ts'

const ROUNDS = 7
/** Read before the first round, so that statements are prepared. */
const WARM_UPS = 2

const sizes = {
  '10,000': { issues: 9_000, occurrences: 10_000 },
  '100,000': { issues: 10_000, occurrences: 100_000 },
  '1,000,000': { issues: 10_000, occurrences: 1_000_000 },
} as const
type SizeName = keyof typeof sizes
const names = Object.keys(sizes) as SizeName[]

/** Every page through the router and every reading tool, with ten thousand to a million occurrences. */
export const queries: Suite = {
  about: 'Pages through the REST router and tools of an agent in memory, at three numbers of stored occurrences.',
  onlyNamed: 'It takes three minutes and 4 GB of disk.',
  async run() {
    const readers = {} as Record<SizeName, Reader>
    try {
      for (const name of names) readers[name] = await openReader(sizes[name])
      const tables: Table[] = []
      for (const [title, read] of Object.entries(pages)) {
        const figures = []
        for (const page of Object.keys(read)) figures.push(...(await measurePage(readers, title, page)))
        tables.push({ title, figures, ...(tables.length === 0 && { notes: [note] }) })
      }
      return [...tables, await memoryTable(readers)]
    } finally {
      for (const reader of Object.values(readers)) await reader.close()
    }
  },
}

const note =
  '10,000 occurrences are in 9,000 issues, the others in 10,000: with one occurrence for each of 10,000 issues none could ' +
  'fill a page. The loudest issue has 50 occurrences there, and 48,600 of a million. A page is read twice in one state of the ' +
  'database, and the second time counts: what is remembered for a state (decisions 074, 079 and 093) is read from memory. ' +
  'After a commit nothing of that is.'

/** The sizes that are also read after a commit, when nothing of the last state is remembered. */
const afterCommits: readonly SizeName[] = ['10,000', '1,000,000']

async function measurePage(readers: Record<SizeName, Reader>, table: string, page: string): Promise<Figure[]> {
  const asked = [
    ...names.map((size) => ({ size, afterCommit: false, values: [] as number[] })),
    ...afterCommits.map((size) => ({ size, afterCommit: true, values: [] as number[] })),
  ]
  for (let round = -WARM_UPS; round < ROUNDS; round += 1) {
    for (const { size, afterCommit, values } of asked) {
      // The first read of this state; the second one counts.
      if (!afterCommit) await readers[size].ask({ table, page, afterCommit })
      const taken = await readers[size].ask({ table, page, afterCommit })
      if (round >= 0) values.push(taken)
    }
  }
  const rowName = (size: SizeName, afterCommit: boolean) => `${page}, ${size}${afterCommit ? ', after a commit' : ''}`
  return asked.map(({ size, afterCommit, values }) => ({
    name: rowName(size, afterCommit),
    unit: 'ms',
    values,
    ...(size !== '10,000' && { against: rowName('10,000', afterCommit) }),
    ...(size === '1,000,000' && {
      goals: [
        { of: 'median', most: 40 },
        { of: 'ratio', most: 1.5 },
      ],
    }),
  }))
}

async function memoryTable(readers: Record<SizeName, Reader>): Promise<Table> {
  const figures: Figure[] = []
  for (const name of names) {
    const values = [await readers[name].ask('memory')]
    figures.push({ name, unit: 'MB', values, goals: [{ of: 'median', most: 300 }] })
  }
  return { title: 'Most resident memory of the process, with its client', figures }
}

interface Reader {
  ask(asked: Asked): Promise<number>
  close(): Promise<void>
}

async function openReader(size: { issues: number; occurrences: number }): Promise<Reader> {
  const { dataDir, now } = await storedEvents(size)
  const child = fork(join(import.meta.dirname, 'reader.ts'), [dataDir, String(now)])
  await reply(child)
  return {
    async ask(asked) {
      child.send(asked)
      return Number(await reply(child))
    },
    async close() {
      if (!child.connected) return
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}

/** The next message of the process; throws when it ends instead. */
async function reply(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const message = once(child, 'message', { signal: ended.signal })
  const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
    throw new Error('a reader ended before it answered')
  })
  try {
    const [value] = (await Promise.race([message, exit])) as unknown[]
    return value
  } finally {
    ended.abort()
    exit.catch(() => undefined)
  }
}
