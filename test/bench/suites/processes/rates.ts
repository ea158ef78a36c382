import { cpus } from 'node:os'
import type { Served } from '../../../serve.ts'
import type { Figure, Table } from '../../harness/suite.ts'
import { prepareEvents, type LoadResult } from '../../support/event-load.ts'
import { processorMs } from '../../support/process-time.ts'
import { issuesOfFirst } from '../../support/shop-events.ts'
import type { Pair } from './pair.ts'

const ISSUES = 10_000
const ROUNDS = 6
const EVENTS = 12_000
/** Sent first: until each issue has been created, and the server has made its plans for tables of this size. */
const WARM_UP = 30_000

interface Measured {
  perSecond: number
  p99Ms: number
  /** The part of all processors' time that was in use, in percent. */
  busy: number
  /** Milliseconds of processor time for an event, of all processes of Tracegate, of the load, and of the rest of the machine. */
  ownMs: number
  loadMs: number
  restMs: number
}

/** Ingest of 8 KB by one process and by two, in turn, with what the machine had left. */
export async function ingestRates(open: () => Promise<Pair>): Promise<Table[]> {
  await using pair = await open()
  const both = [pair.one, pair.other]
  await load(both, WARM_UP)
  const [one, two]: [Measured[], Measured[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    // In either order, so that a machine that becomes slower meanwhile does so for both.
    const turns = [async () => one.push(await load([pair.one])), async () => two.push(await load(both))]
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn()
  }
  const figures = (name: keyof Measured, unit: Figure['unit']): [Figure, Figure] => [
    { name: 'one process', unit, values: one.map((each) => each[name]) },
    { name: 'two processes', unit, values: two.map((each) => each[name]), against: 'one process' },
  ]
  const [single, double] = figures('perSecond', 'events/s')
  const [singleBusy, bothBusy] = figures('busy', '%')
  const allowed = two.map(
    ({ perSecond }, round) => (perSecond * (one[round]?.busy ?? 0)) / (one[round]?.perSecond ?? 1),
  )
  return [
    {
      title: 'Acknowledged events of 8 KB on PostgreSQL',
      figures: [
        single,
        { ...double, goals: [{ of: 'ratio', least: 1.6 }] },
        {
          name: 'two processes, of what the processors allow',
          unit: '%',
          values: allowed,
          goals: [{ of: 'median', least: 90 }],
        },
      ],
      notes: [
        'The load, both processes and the database server share the processors of this machine: two processes can be faster ' +
          'only by the part of the processors that one leaves idle. What they allow is the rate of one process divided by the ' +
          'part of them that was in use meanwhile.',
      ],
    },
    { title: 'Time to the answer, 99th percentile', figures: figures('p99Ms', 'ms') },
    {
      title: 'Processors in use meanwhile',
      figures: [singleBusy, { ...bothBusy, goals: [{ of: 'median', least: 90 }] }],
      notes: ['What two processes leave idle is all that further ones could use.'],
    },
    {
      title: 'Processor time for an event',
      figures: [
        { name: 'one process: Tracegate', unit: 'ms', values: one.map(({ ownMs }) => ownMs) },
        { name: 'one process: the load', unit: 'ms', values: one.map(({ loadMs }) => loadMs) },
        { name: 'one process: all others, PostgreSQL before all', unit: 'ms', values: one.map(({ restMs }) => restMs) },
        { name: 'two processes: Tracegate', unit: 'ms', values: two.map(({ ownMs }) => ownMs) },
        { name: 'two processes: the load', unit: 'ms', values: two.map(({ loadMs }) => loadMs) },
        {
          name: 'two processes: all others, PostgreSQL before all',
          unit: 'ms',
          values: two.map(({ restMs }) => restMs),
        },
      ],
    },
  ]
}

async function load(served: readonly Served[], events = EVENTS): Promise<Measured> {
  const issues = issuesOfFirst(ISSUES)
  const spent = () => ({
    ...processorTimes(),
    own: served.reduce((sum, { pid }) => sum + processorMs(pid), 0),
  })
  const count = events / served.length
  const sending = await Promise.all(
    served.map((each) => prepareEvents({ address: address(each), size: '8 KB', count, issues })),
  )
  const before = spent()
  const results: LoadResult[] = await Promise.all(sending.map((send) => send()))
  const after = spent()
  const [busy, own] = [after.busy - before.busy, after.own - before.own]
  const generated = results.reduce((sum, each) => sum + each.processorMs, 0)
  return {
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    busy: (100 * busy) / (after.all - before.all),
    ownMs: own / events,
    loadMs: generated / events,
    restMs: (busy - own - generated) / events,
  }
}

/** Milliseconds since the start of the machine. */
function processorTimes(): { busy: number; all: number } {
  const times = cpus().map((cpu) => cpu.times)
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0)
  return { all, busy: all - times.reduce((sum, { idle }) => sum + idle, 0) }
}

function address({ endpoints }: Served): string {
  const { host, username, pathname } = new URL(endpoints.dsn)
  return `http://${host}/api${pathname}/envelope/?sentry_key=${username}`
}
