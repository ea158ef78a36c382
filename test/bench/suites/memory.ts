import { mkdtempSync, rmSync } from 'node:fs'
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
    'Resident memory of the served bundle with the sample: fresh, after each kind of work, and after a minute without any; then of one with a million events. Reads of the sample apply source maps.',
  onlyNamed: 'It takes four minutes and 4 GB of disk.',
  async run() {
    const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
    const dist = resolve(import.meta.dirname, '../../../dist')
    await build(dist)
    const start = () =>
      serve({
        dataDir,
        args: ['--sample'],
        main: join(dist, 'tracegate.js'),
        env: { TRACEGATE_LOG_LEVEL: 'error', TRACEGATE_NEW_ISSUES_PER_HOUR: '0' },
      })
    try {
      {
        await using _firstStart = await start()
      }
      unlimit(dataDir)
      await using app = await start()
      const figures: Figure[] = []
      const note = (name: string) =>
        void figures.push({ name, unit: 'MB', values: [residentMb(app.pid)], goals: [{ of: 'median', most: MOST_MB }] })
      note('fresh')
      await sendEvents(app)
      note(`after ${EVENTS.toLocaleString('en')} events of 8 KB in as many issues`)
      await readIssues(app)
      note(`after ${READS.toLocaleString('en')} reads`)
      for (let report = 0; report < REPORTS; report += 1) await sendReport(app)
      note(`after ${String(REPORTS)} reports of ${CASES.toLocaleString('en')} tests`)
      await sleep(IDLE_MS)
      note('after a minute without work')
      return [
        { title: 'Resident memory', figures },
        {
          title: 'Resident memory with a million stored events',
          figures: await readMillion(join(dist, 'tracegate.js')),
        },
      ]
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
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
    const values = [residentMb(app.pid)]
    return [
      {
        name: `after ${READS.toLocaleString('en')} reads`,
        unit: 'MB',
        values,
        goals: [{ of: 'median', most: MOST_MB }],
      },
    ]
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
