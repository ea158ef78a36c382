import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runRetention } from '../../../../src/service/errors/issues/retention.ts'
import { dayMs } from '../../../../src/service/shared/times.ts'
import { startApp } from '../../../app.ts'
import type { Figure, Suite, Table } from '../../harness/suite.ts'
import { createSdkEvents } from '../../support/sdk-events/sdk-event.ts'
import { sendEvents, unlimit } from '../../support/sdk-events/send.ts'
import { countPages } from './pages.ts'

/** Events of one size that are spread evenly over issues, and how many are stored when the file is measured. */
interface Series {
  bytes: number
  issues: number
  counts: readonly number[]
  /** The most kilobytes of disk for each event at the last count. */
  most?: number
}

const DAYS = 30
/** A tenth of a million events in 10,000 issues: each issue has as many. */
const goal: Series = { bytes: 8_000, issues: 1_000, counts: [20_000, 100_000], most: 2 }
const series: readonly Series[] = [
  goal,
  { bytes: 8_000, issues: 10_000, counts: [20_000, 100_000] },
  { bytes: 2_800, issues: 200, counts: [20_000] },
  { bytes: 50_000, issues: 100, counts: [10_000] },
]
/** Tables and indices that are shown by name. */
const SHOWN = 16

/** Bytes of the database file for each event, after the real ingest, retention and a checkpoint. */
export const disk: Suite = {
  about:
    'Size of the database file for each stored event. Events with the stacks of real code go through the whole ingest within 30 simulated days, and retention runs every day.',
  onlyNamed: 'It takes ten minutes.',
  async run() {
    const figures: Figure[] = []
    const parts: Table[] = []
    for (const one of series) {
      const measured = await measure(one)
      figures.push(...measured.map(({ figure }) => figure))
      const last = measured.at(-1)
      if (last !== undefined) parts.push(last.parts)
    }
    return [{ title: 'Disk for each event', figures }, ...parts]
  },
}

async function measure({ bytes, issues, counts, most }: Series): Promise<{ figure: Figure; parts: Table }[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  const make = createSdkEvents()
  const total = counts.at(-1) ?? 0
  const start = Date.now() - DAYS * dayMs
  let sent = 0
  const now = () => Math.floor(start + (sent / total) * DAYS * dayMs)
  try {
    const measured: { figure: Figure; parts: Table }[] = []
    for (const count of counts) {
      await using app = await startApp({ dataDir, checkResponses: false, newIssuesPerHour: 0, platform: { now } })
      await unlimit(app)
      const event = () => {
        const at = sent++
        return make({ issue: (at * 7_919) % issues, event: at, bytes, at: now() - 800 })
      }
      while (sent < count) {
        await sendEvents(app, { count: Math.min(count - sent, Math.ceil(total / DAYS)), event })
        await runRetention(app.db, now())
      }
      await app.close()
      const { file, parts } = countPages(join(dataDir, 'tracegate.db'))
      const name = `${count.toLocaleString('en')} of ${String(bytes / 1000)} KB in ${issues.toLocaleString('en')} issues`
      const goals = most === undefined || count !== total ? [] : [{ of: 'median' as const, most }]
      measured.push({
        figure: { name, unit: 'KB', values: [file / count / 1024], goals },
        parts: {
          title: `Bytes for each event: ${name}`,
          figures: parts
            .slice(0, SHOWN)
            .map((part) => ({ name: part.name, unit: 'B' as const, values: [part.bytes / count] })),
        },
      })
    }
    return measured
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}
