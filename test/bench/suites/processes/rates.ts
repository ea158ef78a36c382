import { cpus } from 'node:os'
import type { Served } from '../../../serve.ts'
import type { Figure, Table } from '../../harness/suite.ts'
import { sendEvents, type LoadResult } from '../../support/event-load.ts'
import { issuesOfFirst } from '../../support/shop-events.ts'
import type { Pair } from './pair.ts'

const ISSUES = 10_000
const ROUNDS = 3
const EVENTS = 6_000

interface Measured {
  perSecond: number
  p99Ms: number
  /** The part of all processors' time that was in use, in percent. */
  busy: number
}

/** Ingest of 8 KB by one process and by two, in turn, with what the machine had left. */
export async function ingestRates(open: () => Promise<Pair>): Promise<Table[]> {
  await using pair = await open()
  const both = [pair.one, pair.other]
  await load(both)
  const [one, two]: [Measured[], Measured[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    one.push(await load([pair.one]))
    two.push(await load(both))
  }
  const figures = (name: keyof Measured, unit: Figure['unit']): [Figure, Figure] => [
    { name: 'one process', unit, values: one.map((each) => each[name]) },
    { name: 'two processes', unit, values: two.map((each) => each[name]), against: 'one process' },
  ]
  const [single, double] = figures('perSecond', 'events/s')
  return [
    {
      title: 'Acknowledged events of 8 KB on PostgreSQL',
      figures: [single, { ...double, goals: [{ of: 'ratio', least: 1.6 }] }],
      notes: [
        'The load, both processes and the database server share the processors of this machine: two processes are faster only as far as one has left some.',
      ],
    },
    { title: 'Time to the answer, 99th percentile', figures: figures('p99Ms', 'ms') },
    { title: 'Processors in use meanwhile', figures: figures('busy', '%') },
  ]
}

async function load(served: readonly Served[]): Promise<Measured> {
  const issues = issuesOfFirst(ISSUES)
  const before = processorTimes()
  const results: LoadResult[] = await Promise.all(
    served.map((each) => sendEvents({ address: address(each), size: '8 KB', count: EVENTS / served.length, issues })),
  )
  const after = processorTimes()
  return {
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    busy: (100 * (after.busy - before.busy)) / (after.all - before.all),
  }
}

function processorTimes(): { busy: number; all: number } {
  const times = cpus().map((cpu) => cpu.times)
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0)
  return { all, busy: all - times.reduce((sum, { idle }) => sum + idle, 0) }
}

function address({ endpoints }: Served): string {
  const { host, username, pathname } = new URL(endpoints.dsn)
  return `http://${host}/api${pathname}/envelope/?sentry_key=${username}`
}
