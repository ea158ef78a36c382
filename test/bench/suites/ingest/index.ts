import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { build } from '../../../../src/dev/build.ts'
import { serve, type Served } from '../../../serve.ts'
import type { Figure, Goal, Suite } from '../../harness/suite.ts'
import { sendEvents, type LoadResult } from '../../support/event-load.ts'
import { issuesOfFirst, NEWEST_RELEASE, type EventSize } from '../../support/shop-events.ts'
import { copyStoredEvents } from '../../support/stored-events/index.ts'
import { uploadBuild } from './build.ts'
import { rawHttp, rawStatements, type Raw } from './raw.ts'

const ISSUES = 10_000
const ROUNDS = 5
/** Events of a round: about five seconds of each. */
const counts = { '2.8 KB': 12_000, '8 KB': 12_000, '50 KB': 4_000 } as const satisfies Record<EventSize, number>

/** Acknowledged events per second over loopback HTTP, and how long a sender waits. */
export const ingest: Suite = {
  about:
    'Envelopes over loopback HTTP, 64 at a time from another process on the same cores, until the event is on disk in ' +
    'one of 10,000 issues; in turn a node:http server that only parses them, and bare INSERT statements of the same bytes. ' +
    'Four of five events are of a release; where it has source maps, these lead from six frames of each event. ' +
    'Before the first round each has received the events of a round, because V8 compiles what runs often.',
  async run() {
    await using given = await openContestants()
    for (const { warm } of given.contestants) await warm()
    const results = new Map<string, LoadResult[]>(given.contestants.map(({ name }) => [name, []]))
    for (let round = 0; round < ROUNDS; round += 1)
      for (const { name, measure } of given.contestants) results.get(name)?.push(await measure())
    return [
      { title: 'Acknowledged events', figures: rates(results) },
      { title: 'Time to the answer, 99th percentile', figures: waits(results) },
    ]
  },
}

interface Contestant {
  name: string
  warm: () => Promise<unknown>
  measure: () => Promise<LoadResult>
}

const MILLION = '8 KB, a million stored'
const MAPPED = '8 KB and six minified frames, with source maps'

async function openContestants(): Promise<AsyncDisposable & { contestants: Contestant[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  const stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const main = join(folder, 'dist', 'tracegate.js')
  await build(join(folder, 'dist'))
  const few = stack.use(await serveStored(main, join(folder, 'few'), ISSUES))
  const many = stack.use(await serveStored(main, join(folder, 'many'), 1_000_000))
  const built = stack.use(await serveStored(main, join(folder, 'built'), ISSUES))
  const frames = await uploadBuild(built, NEWEST_RELEASE)
  const http = stack.use(await rawHttp())
  const statements = stack.use(await rawStatements(folder))
  const contestants = [
    contestant('8 KB, node:http that parses', '8 KB', http),
    contestant('8 KB, INSERT statements', '8 KB', statements),
    contestant('8 KB', '8 KB', { address: address(few) }),
    contestant(MILLION, '8 KB', { address: address(many) }),
    contestant(MAPPED, '8 KB', { address: address(built) }, frames),
    contestant('2.8 KB', '2.8 KB', { address: address(few) }),
    contestant('50 KB', '50 KB', { address: address(few) }),
  ]
  return { contestants, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

function contestant(
  name: string,
  size: EventSize,
  { address }: Pick<Raw, 'address'>,
  frames: readonly object[] = [],
): Contestant {
  const issues = issuesOfFirst(ISSUES)
  const send = (count: number) => sendEvents({ address, size, count, issues, frames })
  return { name, warm: () => send(counts[size]), measure: () => send(counts[size]) }
}

async function serveStored(main: string, dataDir: string, occurrences: number): Promise<Served> {
  await copyStoredEvents({ issues: ISSUES, occurrences }, dataDir)
  // The store is measured, and not the limit of the key.
  const db = new DatabaseSync(join(dataDir, 'tracegate.db'))
  db.exec('UPDATE dsn_key SET rate_per_second = 0')
  db.close()
  return serve({ main, dataDir, env: { TRACEGATE_LOG_LEVEL: 'error' } })
}

function address({ endpoints }: Served): string {
  const { host, username, pathname } = new URL(endpoints.dsn)
  return `http://${host}/api${pathname}/envelope/?sentry_key=${username}`
}

const goals: Record<string, readonly Goal[]> = {
  '8 KB': [{ of: 'median', least: 2_000 }],
  '50 KB': [{ of: 'median', least: 400 }],
  [MILLION]: [{ of: 'ratio', least: 0.8, most: 1.2 }],
}
const bases: Record<string, string> = { '8 KB': '8 KB, node:http that parses', [MILLION]: '8 KB' }

function rates(results: ReadonlyMap<string, LoadResult[]>): Figure[] {
  return [...results].map(([name, rounds]) => ({
    name,
    unit: 'events/s',
    values: rounds.map(({ perSecond }) => perSecond),
    ...(bases[name] !== undefined && { against: bases[name] }),
    ...(goals[name] !== undefined && { goals: goals[name] }),
  }))
}

function waits(results: ReadonlyMap<string, LoadResult[]>): Figure[] {
  return [...results].map(([name, rounds]) => ({
    name,
    unit: 'ms',
    values: rounds.map(({ p99Ms }) => p99Ms),
    ...(goals[name] !== undefined && { goals: [{ of: 'median', most: 150 }] }),
  }))
}
