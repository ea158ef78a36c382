import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '../../../src/dev/build.ts'
import { serve, type Served } from '../../serve.ts'
import type { Figure, Suite } from '../harness/suite.ts'
import { createSdkEvents } from '../support/sdk-events/sdk-event.ts'
import { residentMb } from '../support/process-memory.ts'
import { copyStoredEvents } from '../support/stored-events/index.ts'

const EVENTS = 10_000
const ISSUES = 10_000
const EVENTS_AT_ONCE = 32
const READS = 1_000
/** Below the limit of 20 requests a second and token. */
const READS_EVERY_MS = 55
const REPORTS = 3
const CASES = 10_000
const IDLE_MS = 60_000
const MOST_MB = 300

/** Resident memory of a server through the work of a day, each step after the other in one process. */
export const memory: Suite = {
  about:
    'Resident memory of the served bundle with the sample: fresh, after each kind of work, after a minute without any, and when it works again; then of one with a million events. Reads of the sample apply source maps.',
  onlyNamed: 'It takes six minutes and 4 GB of disk.',
  async run() {
    const dist = resolve(import.meta.dirname, '../../../dist')
    await build(dist)
    const main = join(dist, 'tracegate.js')
    const dockerfile = readFileSync(resolve(dist, '../Dockerfile'), 'utf8')
    const [, arenas = ''] = /\bMALLOC_ARENA_MAX=(\d+)/.exec(dockerfile) ?? []
    return [
      { title: 'Resident memory', figures: await workADay(main, {}) },
      {
        title: 'Resident memory with the settings of the container image',
        figures: await workADay(main, { MALLOC_ARENA_MAX: arenas }),
      },
      { title: 'Resident memory with a million stored events', figures: await readMillion(main) },
    ]
  },
}

/** A server with the sample through one piece of work after the other. */
async function workADay(main: string, settings: Record<string, string>): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  const env = { ...settings, TRACEGATE_LOG_LEVEL: 'error', TRACEGATE_NEW_ISSUES_PER_HOUR: '0' }
  const start = () => serve({ main, dataDir, args: ['--sample'], env })
  try {
    {
      await using _firstStart = await start()
    }
    unlimit(dataDir)
    await using app = await start()
    const figures: Figure[] = []
    const note = (name: string) => void figures.push(figure(name, app))
    note('fresh')
    await sendEvents(app)
    note(`after ${EVENTS.toLocaleString('en')} events of 8 KB in as many issues`)
    await readIssues(app)
    note(`after ${READS.toLocaleString('en')} reads`)
    for (let report = 0; report < REPORTS; report += 1) await sendReport(app)
    note(`after ${String(REPORTS)} reports of ${CASES.toLocaleString('en')} tests`)
    await sleep(IDLE_MS)
    note('after a minute without work')
    await sendEvents(app)
    note(`after ${EVENTS.toLocaleString('en')} more events`)
    return figures
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function figure(name: string, { pid }: Served): Figure {
  return { name, unit: 'MB', values: [residentMb(pid)], goals: [{ of: 'median', most: MOST_MB }] }
}

/** Takes the rate limit off the keys. */
function unlimit(dataDir: string): void {
  using db = new DatabaseSync(join(dataDir, 'tracegate.db'))
  db.exec('UPDATE dsn_key SET rate_per_second = 0')
}

async function sendEvents({ endpoints }: Served): Promise<void> {
  const { host, username, pathname } = new URL(endpoints.dsn)
  const url = `http://${host}/api${pathname}/envelope/?sentry_key=${username}`
  const make = createSdkEvents()
  const at = Date.now()
  let next = 0
  const sender = async () => {
    while (next < EVENTS) {
      const event = next++
      const item = JSON.stringify(make({ issue: event % ISSUES, event, bytes: 8_000, at }))
      const reply = await fetch(url, { method: 'POST', body: `{}\n{"type":"event"}\n${item}\n` })
      if (reply.status !== 200) throw new Error(`an event was answered with ${String(reply.status)}`)
      await reply.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: EVENTS_AT_ONCE }, sender))
}

/** A server on a million events in 10,000 issues, while its pages are read. */
async function readMillion(main: string): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  try {
    await copyStoredEvents({ issues: ISSUES, occurrences: 1_000_000 }, dataDir)
    await using app = await serve({ main, dataDir, env: { TRACEGATE_LOG_LEVEL: 'error' } })
    const product = `/v1/products/${app.endpoints.product_id}`
    const pages = ['environments', 'components', 'releases', 'requirements', 'coverage-gaps', 'quality-gate']
    for (const page of pages) await app.rest('GET', `${product}/${page}`)
    await readIssues(app)
    return [figure(`after ${READS.toLocaleString('en')} reads`, app)]
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Pages of the list, and the issues of each, the newest and the oldest. */
async function readIssues(app: Served): Promise<void> {
  const list = `/v1/products/${app.endpoints.product_id}/issues?page_size=100`
  const ids: string[] = []
  for (const sort of ['last_seen', 'first_seen', 'times_seen']) {
    const { issues } = await app.rest<{ issues: { id: string }[] }>('GET', `${list}&sort=${sort}`)
    ids.push(...issues.map(({ id }) => id))
  }
  for (let read = 0; read < READS; read += 1) {
    const id = ids[read % ids.length] ?? ''
    await app.rest(
      'GET',
      read % 2 === 0 ? `/v1/issues/${id}` : `/v1/products/${app.endpoints.product_id}/issues/${id}/fix-context`,
    )
    await sleep(READS_EVERY_MS)
  }
}

async function sendReport({ endpoints }: Served): Promise<void> {
  const cases = Array.from(
    { length: CASES },
    (_, index) => `<testcase name="case ${String(index)} with a name of usual length" classname="suite" time="0.01"/>`,
  )
  const reply = await fetch(`${endpoints.rest}/v1/products/${endpoints.product_id}/tests:ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${endpoints.token}`, 'content-type': 'application/xml' },
    body: `<testsuite name="suite" file="test/suite.test.ts">${cases.join('\n')}</testsuite>`,
  })
  if (reply.status !== 200) throw new Error(`a report was answered with ${String(reply.status)}: ${await reply.text()}`)
  await reply.arrayBuffer()
}
